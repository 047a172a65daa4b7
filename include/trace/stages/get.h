/* SPDX-License-Identifier: MIT */
/* Macros that access the dynamic fields of the record __entry, a struct of type __ulf_raw. */
#define __get_dynamic_array(field)					\
	((void *)((char *)__entry + (__entry->__data_loc_##field & 0xffff)))
#define __get_dynamic_array_len(field)					\
	((__entry->__data_loc_##field >> 16) & 0xffff)
#define __get_str(field)	((char *)__get_dynamic_array(field))
#define __get_bitmask(field)	((char *)__get_dynamic_array(field))
#define __get_cpumask(field)	((char *)__get_dynamic_array(field))
#define __get_sockaddr(field)						\
	((struct sockaddr *)__get_dynamic_array(field))

#define __get_rel_dynamic_array(field)					\
	((void *)((char *)__entry +					\
		  offsetof(__ulf_raw, __rel_loc_##field) + 4 +		\
		  (__entry->__rel_loc_##field & 0xffff)))
#define __get_rel_dynamic_array_len(field)				\
	((__entry->__rel_loc_##field >> 16) & 0xffff)
#define __get_rel_str(field)	((char *)__get_rel_dynamic_array(field))
#define __get_rel_bitmask(field) ((char *)__get_rel_dynamic_array(field))
#define __get_rel_cpumask(field) ((char *)__get_rel_dynamic_array(field))
#define __get_rel_sockaddr(field)					\
	((struct sockaddr *)__get_rel_dynamic_array(field))
