/* SPDX-License-Identifier: MIT */
/* A circular list whose links are members of the listed structures. */
#ifndef MINI_LIST_H
#define MINI_LIST_H

#include <mini/types.h>

struct list_head {
	struct list_head *next, *prev;
};

#define LIST_HEAD_INIT(name)	{ &(name), &(name) }
#define LIST_HEAD(name)		struct list_head name = LIST_HEAD_INIT(name)

static inline void INIT_LIST_HEAD(struct list_head *head)
{
	head->next = head;
	head->prev = head;
}

static inline bool list_empty(const struct list_head *head)
{
	return head->next == head;
}

/* Insert @item before @place.  An item that is inserted before the head is the last of the
 * list. */
static inline void list_add_tail(struct list_head *item, struct list_head *place)
{
	item->prev = place->prev;
	item->next = place;
	place->prev->next = item;
	place->prev = item;
}

static inline void list_add(struct list_head *item, struct list_head *place)
{
	list_add_tail(item, place->next);
}

/* Remove @item and make it a list of its own, so that list_empty(@item) is true. */
static inline void list_del_init(struct list_head *item)
{
	item->next->prev = item->prev;
	item->prev->next = item->next;
	INIT_LIST_HEAD(item);
}

#define list_entry(ptr, type, member)	container_of(ptr, type, member)
#define list_first_entry(head, type, member) \
	list_entry((head)->next, type, member)

#define list_for_each_entry(pos, head, member)				\
	for (pos = list_entry((head)->next, __typeof__(*pos), member);	\
	     &pos->member != (head);					\
	     pos = list_entry(pos->member.next, __typeof__(*pos), member))

/* Visit all entries of a list, with a body that may remove @pos.  @tmp is the entry after
 * @pos. */
#define list_for_each_entry_safe(pos, tmp, head, member)		\
	for (pos = list_entry((head)->next, __typeof__(*pos), member),	\
	     tmp = list_entry(pos->member.next, __typeof__(*pos), member); \
	     &pos->member != (head);					\
	     pos = tmp,							\
	     tmp = list_entry(tmp->member.next, __typeof__(*pos), member))

#endif
