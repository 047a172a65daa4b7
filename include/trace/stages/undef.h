/* SPDX-License-Identifier: MIT */
/* Every word that a stage gives a meaning to.  A word added to one stage is
 * added here. */
#undef TRACE_EVENT
#undef TRACE_EVENT_CONDITION
#undef DECLARE_EVENT_CLASS
#undef DEFINE_EVENT
#undef DEFINE_EVENT_PRINT
#undef DEFINE_EVENT_CONDITION
#undef DECLARE_TRACE
#undef DECLARE_TRACE_CONDITION

#undef TP_STRUCT__entry
#undef TP_fast_assign
#undef TP_printk

#undef __field
#undef __array
#undef __dynamic_array
#undef __string

#undef __entry
#undef __get_dynamic_array
#undef __get_dynamic_array_len
#undef __get_str
#undef __assign_str
#undef __ULF_EVENT
