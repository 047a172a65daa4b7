/* SPDX-License-Identifier: MIT */
/* Memory: pages, zones, allocation, reclaim. */
#ifndef ULF_CONFORMANCE_MM_H
#define ULF_CONFORMANCE_MM_H

#include "base.h"

/* The sample program defines the flags of allocations. */
#include "../../../examples/minikernel/mini/gfp.h"

struct address_space;
struct mem_section;
struct zone;

typedef unsigned int isolate_mode_t;
typedef unsigned int slab_flags_t;
typedef struct { u64 val; } pfn_t;
typedef u64 pteval_t, pmdval_t, pudval_t, pgdval_t, p4dval_t;
typedef struct { pteval_t pte; } pte_t;
typedef struct { pmdval_t pmd; } pmd_t;
typedef struct { pudval_t pud; } pud_t;
typedef struct { pgdval_t pgd; } pgd_t;
typedef struct { p4dval_t p4d; } p4d_t;

/* ---- pages ---- */

struct page {
	unsigned long flags;
	struct address_space *mapping;
	pgoff_t index;
};

struct folio {
	struct address_space *mapping;
	pgoff_t index;
};

enum pageflags {
	PG_locked,
	PG_referenced,
	PG_uptodate,
	PG_dirty,
	PG_lru,
	PG_active,
	PG_workingset,
	PG_waiters,
	PG_error,
	PG_slab,
	PG_owner_priv_1,
	PG_arch_1,
	PG_reserved,
	PG_private,
	PG_private_2,
	PG_writeback,
	PG_head,
	PG_mappedtodisk,
	PG_reclaim,
	PG_swapbacked,
	PG_unevictable,
	PG_mlocked,
	PG_arch_2,
};
#define PAGEFLAGS_MASK	((1UL << 23) - 1)

/* CONFIG_SPARSEMEM without a memory map of its own */
#define pfn_to_page(pfn)						\
({	unsigned long __pfn = (pfn);					\
	struct mem_section *__sec = __pfn_to_section(__pfn);		\
	__section_mem_map_addr(__sec) + __pfn;				\
})

struct mem_section *__pfn_to_section(unsigned long pfn);
struct page *__section_mem_map_addr(struct mem_section *section);
unsigned long page_to_pfn(const struct page *page);
int page_ref_count(const struct page *page);
int page_mapcount(struct page *page);
int get_pageblock_migratetype(const struct page *page);
struct address_space *page_file_mapping(struct page *page);
int PageDirty(struct page *page);
int PageUptodate(struct page *page);

enum lru_list {
	LRU_INACTIVE_ANON,
	LRU_ACTIVE_ANON,
	LRU_INACTIVE_FILE,
	LRU_ACTIVE_FILE,
	LRU_UNEVICTABLE,
	NR_LRU_LISTS,
};

unsigned long folio_pfn(struct folio *folio);
unsigned int folio_order(struct folio *folio);
pgoff_t folio_index(struct folio *folio);
void *folio_get_private(struct folio *folio);
enum lru_list folio_lru_list(struct folio *folio);
int folio_is_file_lru(struct folio *folio);
bool folio_mapped(struct folio *folio);
bool folio_test_anon(struct folio *folio);
bool folio_test_mappedtodisk(struct folio *folio);
bool folio_test_private(struct folio *folio);
bool folio_test_swapbacked(struct folio *folio);
bool folio_test_swapcache(struct folio *folio);
bool folio_test_uptodate(struct folio *folio);

/* ---- zones ---- */

enum zone_type {
	ZONE_DMA,
	ZONE_DMA32,
	ZONE_NORMAL,
	ZONE_MOVABLE,
};

struct zone {
	const char *name;
	int node;
	unsigned int compact_considered;
	unsigned int compact_defer_shift;
	int compact_order_failed;
};

struct zoneref {
	struct zone *zone;
	int zone_idx;
};

enum migratetype {
	MIGRATE_UNMOVABLE,
	MIGRATE_MOVABLE,
	MIGRATE_RECLAIMABLE,
	MIGRATE_PCPTYPES,
};
#define MAX_ORDER		11
#define pageblock_order		(MAX_ORDER-1)

int zone_to_nid(struct zone *zone);
enum zone_type zone_idx(const struct zone *zone);
unsigned long global_node_page_state(int item);

enum node_stat_item { NR_FILE_DIRTY, NR_WRITEBACK, NR_DIRTIED, NR_WRITTEN };

/* ---- address spaces ---- */

struct maple_tree { void *root; };

struct mm_struct {
	struct maple_tree mm_mt;
	unsigned long total_vm;
	pgd_t *pgd;
};

struct vm_area_struct {
	unsigned long vm_start, vm_end;
	unsigned long vm_flags;
};

struct vm_unmapped_area_info {
	unsigned long flags;
	unsigned long length;
	unsigned long low_limit, high_limit;
	unsigned long align_mask, align_offset;
};

enum {
	MM_FILEPAGES,
	MM_ANONPAGES,
	MM_SWAPENTS,
	MM_SHMEMPAGES,
};

unsigned long get_mm_counter(struct mm_struct *mm, int member);
unsigned long mm_pgtables_bytes(const struct mm_struct *mm);

#define VM_READ			0x00000001
#define VM_WRITE		0x00000002
#define VM_EXEC			0x00000004
#define VM_SHARED		0x00000008

enum fault_flag {
	FAULT_FLAG_WRITE = 1 << 0,
	FAULT_FLAG_MKWRITE = 1 << 1,
	FAULT_FLAG_ALLOW_RETRY = 1 << 2,
	FAULT_FLAG_RETRY_NOWAIT = 1 << 3,
	FAULT_FLAG_KILLABLE = 1 << 4,
	FAULT_FLAG_TRIED = 1 << 5,
	FAULT_FLAG_USER = 1 << 6,
	FAULT_FLAG_REMOTE = 1 << 7,
	FAULT_FLAG_INSTRUCTION = 1 << 8,
	FAULT_FLAG_INTERRUPTIBLE = 1 << 9,
};
#define STUB_FAULT(name)	{ FAULT_FLAG_##name, #name }
#define FAULT_FLAG_TRACE						\
	STUB_FAULT(WRITE), STUB_FAULT(MKWRITE), STUB_FAULT(ALLOW_RETRY), \
	STUB_FAULT(RETRY_NOWAIT), STUB_FAULT(KILLABLE),			\
	STUB_FAULT(TRIED), STUB_FAULT(USER), STUB_FAULT(REMOTE),	\
	STUB_FAULT(INSTRUCTION), STUB_FAULT(INTERRUPTIBLE)

enum vm_fault_reason {
	VM_FAULT_OOM = 0x0001,
	VM_FAULT_SIGBUS = 0x0002,
	VM_FAULT_MAJOR = 0x0004,
	VM_FAULT_WRITE = 0x0008,
	VM_FAULT_HWPOISON = 0x0010,
	VM_FAULT_HWPOISON_LARGE = 0x0020,
	VM_FAULT_SIGSEGV = 0x0040,
	VM_FAULT_NOPAGE = 0x0100,
	VM_FAULT_LOCKED = 0x0200,
	VM_FAULT_RETRY = 0x0400,
	VM_FAULT_FALLBACK = 0x0800,
	VM_FAULT_DONE_COW = 0x1000,
	VM_FAULT_NEEDDSYNC = 0x2000,
};
#define STUB_RESULT(name)	{ VM_FAULT_##name, #name }
#define VM_FAULT_RESULT_TRACE						\
	STUB_RESULT(OOM), STUB_RESULT(SIGBUS), STUB_RESULT(MAJOR),	\
	STUB_RESULT(WRITE), STUB_RESULT(HWPOISON),			\
	STUB_RESULT(HWPOISON_LARGE), STUB_RESULT(SIGSEGV),		\
	STUB_RESULT(NOPAGE), STUB_RESULT(LOCKED), STUB_RESULT(RETRY),	\
	STUB_RESULT(FALLBACK), STUB_RESULT(DONE_COW),			\
	STUB_RESULT(NEEDDSYNC)

/* the uppermost bits of a pfn_t */
#define PFN_FLAGS_MASK	((u64)~PAGE_MASK << (64 - PAGE_SHIFT))
#define STUB_PFN(name, bit)	{ 1ULL << (bit), #name }
#define PFN_FLAGS_TRACE							\
	STUB_PFN(SPECIAL, 59), STUB_PFN(SG_CHAIN, 63),			\
	STUB_PFN(SG_LAST, 62), STUB_PFN(DEV, 61), STUB_PFN(MAP, 60)

struct vm_fault {
	struct vm_area_struct *vma;
	unsigned long address;
	pgoff_t pgoff;
	enum fault_flag flags;
};

/* ---- slabs ---- */

#define SLAB_ACCOUNT	((slab_flags_t)0)

struct kmem_cache {
	unsigned int size;
	unsigned int object_size;
	slab_flags_t flags;
	const char *name;
};

/* ---- moving, compacting, reclaiming ---- */

enum migrate_mode {
	MIGRATE_ASYNC,
	MIGRATE_SYNC_LIGHT,
	MIGRATE_SYNC,
	MIGRATE_SYNC_NO_COPY,
};

enum migrate_reason {
	MR_COMPACTION,
	MR_MEMORY_FAILURE,
	MR_MEMORY_HOTPLUG,
	MR_SYSCALL,
	MR_MEMPOLICY_MBIND,
	MR_NUMA_MISPLACED,
	MR_CONTIG_RANGE,
	MR_LONGTERM_PIN,
	MR_DEMOTION,
};

enum compact_priority {
	COMPACT_PRIO_SYNC_FULL,
	COMPACT_PRIO_SYNC_LIGHT,
	COMPACT_PRIO_ASYNC,
};

enum compact_result {
	COMPACT_NOT_SUITABLE_ZONE,
	COMPACT_SKIPPED,
	COMPACT_DEFERRED,
	COMPACT_NO_SUITABLE_PAGE,
	COMPACT_CONTINUE,
	COMPACT_COMPLETE,
	COMPACT_PARTIAL_SKIPPED,
	COMPACT_CONTENDED,
	COMPACT_SUCCESS,
};

bool compaction_failed(enum compact_result result);
bool compaction_withdrawn(enum compact_result result);

struct compact_control {
	unsigned long migrate_pfn, free_pfn;
	unsigned long nr_migratepages;
	unsigned int order;
};

struct shrink_control {
	gfp_t gfp_mask;
	int nid;
};

struct shrinker {
	unsigned long (*scan_objects)(struct shrinker *shrinker,
				      struct shrink_control *control);
};

struct reclaim_stat {
	unsigned int nr_dirty;
	unsigned int nr_congested;
	unsigned int nr_writeback;
	unsigned int nr_immediate;
	unsigned int nr_activate[2];
	unsigned int nr_ref_keep;
	unsigned int nr_unmap_fail;
};

enum vmscan_throttle_state {
	VMSCAN_THROTTLE_WRITEBACK,
	VMSCAN_THROTTLE_ISOLATED,
	VMSCAN_THROTTLE_NOPROGRESS,
	VMSCAN_THROTTLE_CONGESTED,
};

/* mm/khugepaged.c */
enum scan_result {
	SCAN_FAIL,
	SCAN_SUCCEED,
	SCAN_PMD_NULL,
	SCAN_PMD_NONE,
	SCAN_PMD_MAPPED,
	SCAN_EXCEED_NONE_PTE,
	SCAN_EXCEED_SWAP_PTE,
	SCAN_EXCEED_SHARED_PTE,
	SCAN_PTE_NON_PRESENT,
	SCAN_PTE_UFFD_WP,
	SCAN_PTE_MAPPED_HUGEPAGE,
	SCAN_PAGE_RO,
	SCAN_LACK_REFERENCED_PAGE,
	SCAN_PAGE_NULL,
	SCAN_SCAN_ABORT,
	SCAN_PAGE_COUNT,
	SCAN_PAGE_LRU,
	SCAN_PAGE_LOCK,
	SCAN_PAGE_ANON,
	SCAN_PAGE_COMPOUND,
	SCAN_ANY_PROCESS,
	SCAN_VMA_NULL,
	SCAN_VMA_CHECK,
	SCAN_ADDRESS_RANGE,
	SCAN_DEL_PAGE_LRU,
	SCAN_ALLOC_HUGE_PAGE_FAIL,
	SCAN_CGROUP_CHARGE_FAIL,
	SCAN_TRUNCATED,
	SCAN_PAGE_HAS_PRIVATE,
	SCAN_STORE_FAILED,
};

struct damon_addr_range {
	unsigned long start, end;
};

struct damon_target;
struct damon_region {
	struct damon_addr_range ar;
	unsigned int nr_accesses;
	unsigned int age;
};

struct page_pool {
	struct { int nid; } p;
	u64 destroy_cnt;
};

#endif
