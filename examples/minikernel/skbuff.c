/* SPDX-License-Identifier: MIT */
/* Network buffers, and queues of network buffers. */
#include <errno.h>

#include <mini/net.h>
#include <mini/slab.h>

static struct kmem_cache *skbuff_head_cache;

int skb_init(void)
{
	skbuff_head_cache = kmem_cache_create("skbuff_head_cache", sizeof(struct sk_buff));
	return skbuff_head_cache ? 0 : -ENOMEM;
}

struct sk_buff *alloc_skb(unsigned int size, gfp_t flags)
{
	struct sk_buff *skb = kmem_cache_alloc(skbuff_head_cache, flags | __GFP_ZERO);

	if (!skb)
		return NULL;
	skb->head = kmalloc(size, flags);
	if (!skb->head) {
		kmem_cache_free(skbuff_head_cache, skb);
		return NULL;
	}
	skb->data = skb->head;
	skb->end = skb->head + size;
	skb->mac_header = (u16)~0u;
	skb->network_header = (u16)~0u;
	skb->transport_header = (u16)~0u;
	INIT_LIST_HEAD(&skb->list);
	return skb;
}

void kfree_skb(struct sk_buff *skb)
{
	if (!skb)
		return;
	kfree(skb->head);
	kmem_cache_free(skbuff_head_cache, skb);
}

unsigned char *skb_put(struct sk_buff *skb, unsigned int len)
{
	unsigned char *tail = skb->data + skb->len;

	if (len > (size_t)(skb->end - tail))
		panic("skb_put() beyond the buffer");
	skb->len += len;
	return tail;
}

unsigned char *skb_push(struct sk_buff *skb, unsigned int len)
{
	if (len > (size_t)(skb->data - skb->head))
		panic("skb_push() before the buffer");
	skb->data -= len;
	skb->len += len;
	return skb->data;
}

unsigned char *skb_pull(struct sk_buff *skb, unsigned int len)
{
	if (len > skb->len)
		return NULL;
	skb->len -= len;
	skb->data += len;
	return skb->data;
}

/* Reserve space for headers in an empty buffer. */
void skb_reserve(struct sk_buff *skb, unsigned int len)
{
	skb->data += len;
}

void skb_queue_head_init(struct sk_buff_head *queue)
{
	spin_lock_init(&queue->lock);
	INIT_LIST_HEAD(&queue->list);
	queue->qlen = 0;
}

/*
 * Append @skb to the queue.  Returns false if the queue has @max buffers already; the
 * caller then still owns @skb.
 */
bool skb_queue_tail(struct sk_buff_head *queue, struct sk_buff *skb, unsigned int max)
{
	bool flags, has_room;

	spin_lock_irqsave(&queue->lock, flags);
	has_room = queue->qlen < max;
	if (has_room) {
		list_add_tail(&skb->list, &queue->list);
		queue->qlen++;
	}
	spin_unlock_irqrestore(&queue->lock, flags);
	return has_room;
}

struct sk_buff *skb_dequeue(struct sk_buff_head *queue)
{
	struct sk_buff *skb = NULL;
	bool flags;

	spin_lock_irqsave(&queue->lock, flags);
	if (queue->qlen) {
		skb = list_first_entry(&queue->list, struct sk_buff, list);
		list_del_init(&skb->list);
		queue->qlen--;
	}
	spin_unlock_irqrestore(&queue->lock, flags);
	return skb;
}

unsigned int skb_queue_len(struct sk_buff_head *queue)
{
	unsigned int len;
	bool flags;

	spin_lock_irqsave(&queue->lock, flags);
	len = queue->qlen;
	spin_unlock_irqrestore(&queue->lock, flags);
	return len;
}

void skb_queue_purge(struct sk_buff_head *queue)
{
	struct sk_buff *skb;

	while ((skb = skb_dequeue(queue)))
		kfree_skb(skb);
}
