# SPDX-License-Identifier: MIT
# Asks Linux 6.12 how it prints histograms; its answers are in show.txt.  To be run in the
# tracing directory of a kernel with CONFIG_TRACE_EVENT_INJECT.
#
# Each case: the trigger, the records ("> FIELD=VALUE ..."), and the file `hist`.
echo 's:t u8 aaa; s8 bbb; u16 ccc; s16 ddd; u32 eee; s32 fff; u64 ggg; s64 hhh; char name[16]; char dyn[]; unsigned long iii' >dynamic_events
E=events/synthetic/t
cat $E/format

# ask TRIGGER RECORD...
ask() {
	trigger=$1
	shift
	echo "##### $trigger"
	echo "$trigger" >$E/trigger || exit 1
	for record; do
		echo "> $record"
		echo "$record" >$E/inject
	done
	cat $E/hist
	echo "!$trigger" >$E/trigger
}

# many TRIGGER: with 60 records that are often equal
many() {
	trigger=$1
	echo "##### $trigger"
	echo "$trigger" >$E/trigger || exit 1
	i=0
	while [ $i -lt 60 ]; do
		record="eee=$((i * 7919 % 300)) fff=$((i % 4)) name=\"n$((i * i % 23))\""
		echo "> $record"
		echo "$record" >$E/inject
		[ $((i % 3)) = 0 ] && echo "> $record" && echo "$record" >$E/inject
		i=$((i + 1))
	done
	cat $E/hist
	echo "!$trigger" >$E/trigger
}

ask 'hist:keys=bbb' 'bbb=1' 'bbb=-1' 'bbb=5' 'bbb=-128'
ask 'hist:keys=bbb:sort=bbb' 'bbb=1' 'bbb=-1' 'bbb=5' 'bbb=-128'
ask 'hist:keys=ddd:sort=ddd.descending' 'ddd=1' 'ddd=-1' 'ddd=500' 'ddd=-1280'
ask 'hist:keys=fff:sort=fff' 'fff=1' 'fff=-1' 'fff=500000' 'fff=-1280000'
ask 'hist:keys=hhh:sort=hhh' 'hhh=1' 'hhh=-1' 'hhh=5000000000' 'hhh=-5000000000'
ask 'hist:keys=ggg:sort=ggg' 'ggg=1' 'ggg=18446744073709551615' 'ggg=0' 'ggg=9223372036854775808'
ask 'hist:keys=aaa,ccc,eee:sort=aaa,ccc.descending' 'aaa=1 ccc=1 eee=7' 'aaa=1 ccc=65535 eee=8' 'aaa=255 ccc=5 eee=4294967295' 'aaa=1 ccc=4 eee=2'
ask 'hist:keys=hhh,name:sort=hhh,name.descending' 'hhh=1 name="x"' 'hhh=-1 name="yy"' 'hhh=-1 name="zz"' 'hhh=-1 name="aa"' 'hhh=100 name="0123456789abcdefgh"'
ask 'hist:keys=name:sort=name' 'name="x"' 'name="abcdefghij"' 'name="abcdefgh"' 'name="abcdefghia"' 'aaa=1' 'name="abcdefg"'
ask 'hist:keys=dyn,name,aaa:sort=name,aaa' 'name="x" dyn="a long string of 25 chars" aaa=1' 'name="abcdefghij"' 'name="x" dyn="" aaa=0' 'name="x" dyn="b" aaa=5' 'dyn="b" aaa=6'
ask 'hist:keys=dyn' 'dyn="x"' 'dyn="yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy"' 'dyn="zz"' 'aaa=1'
ask 'hist:keys=bbb.hex,hhh.hex,aaa.hex' 'bbb=1' 'bbb=-1 hhh=255' 'bbb=5 aaa=15' 'bbb=-128'
ask 'hist:keys=eee.syscall' 'eee=0' 'eee=1' 'eee=999' 'eee=4294967295' 'eee=15' 'eee=435'
ask 'hist:keys=fff.syscall' 'fff=-1'
ask 'hist:keys=hhh.log2' 'hhh=0' 'hhh=1' 'hhh=2' 'hhh=3' 'hhh=-1' 'hhh=4' 'hhh=1025'
ask 'hist:keys=hhh.log2:sort=hhh.descending' 'hhh=0' 'hhh=1' 'hhh=2' 'hhh=3' 'hhh=-1' 'hhh=4' 'hhh=1025'
ask 'hist:keys=hhh.buckets=10:sort=hhh' 'hhh=0' 'hhh=1' 'hhh=20' 'hhh=3' 'hhh=-1' 'hhh=-13' 'hhh=1025'
ask 'hist:keys=fff.buckets=10:sort=fff' 'fff=0' 'fff=1' 'fff=20' 'fff=3' 'fff=-1' 'fff=-13' 'fff=1025'
ask 'hist:keys=aaa.buckets=100:sort=aaa.descending' 'aaa=1' 'aaa=255' 'aaa=130'
ask 'hist:keys=iii.sym' 'iii=4294967296' 'iii=0' 'iii=1'
ask 'hist:keys=iii.sym-offset,iii.sym' 'iii=4294967296' 'iii=0'
ask 'hist:keys=eee:vals=aaa,bbb' 'eee=1 aaa=1 bbb=-1' 'eee=2 aaa=255 bbb=1' 'eee=1 aaa=3' 'eee=3'
ask 'hist:keys=eee:vals=hhh.hex,aaa.hex' 'eee=1 aaa=1 hhh=100' 'eee=2 aaa=255 hhh=-1' 'eee=1 aaa=3 hhh=50'
ask 'hist:keys=eee:vals=ccc.percent,hhh.graph' 'eee=1 hhh=100 ccc=1' 'eee=2 hhh=10 ccc=7' 'eee=1 hhh=50' 'eee=3 hhh=25'
ask 'hist:keys=eee:vals=hitcount.percent,hitcount.graph' 'eee=1' 'eee=1' 'eee=2' 'eee=1' 'eee=1' 'eee=1' 'eee=1'
ask 'hist:keys=aaa:vals=ggg.percent,ggg.graph:sort=aaa' 'aaa=1 ggg=0' 'aaa=2 ggg=0'
ask 'hist:keys=aaa:vals=ggg.percent,ggg.graph:sort=aaa' 'aaa=1 ggg=1' 'aaa=2 ggg=18446744073709551615' 'aaa=3 ggg=9223372036854775807'
ask 'hist:keys=aaa:vals=ggg.percent,ggg.graph:sort=aaa' 'aaa=1 ggg=1844674407370955160' 'aaa=2 ggg=1844674407370955162' 'aaa=3 ggg=9223372036854775807' 'aaa=4 ggg=3'
ask 'hist:keys=aaa:vals=ggg.percent,ggg.graph:sort=aaa' 'aaa=1 ggg=9223372036854775808' 'aaa=2 ggg=9223372036854775809' 'aaa=3 ggg=5' 'aaa=4 ggg=3'
ask 'hist:keys=aaa:vals=bbb:sort=bbb' 'aaa=1 bbb=-1' 'aaa=2 bbb=1' 'aaa=3 bbb=0'
ask 'hist:keys=aaa:vals=bbb:sort=bbb.descending,aaa' 'aaa=1 bbb=-1' 'aaa=2 bbb=1' 'aaa=3 bbb=0' 'aaa=7 bbb=1' 'aaa=6 bbb=1' 'aaa=5 bbb=1' 'aaa=8 bbb=0'
ask 'hist:keys=aaa:vals=bbb:nohitcount:sort=aaa' 'aaa=1 bbb=1' 'aaa=1 bbb=1'
ask 'hist:keys=eee:vals=ccc+ddd:sort=ccc+ddd' 'eee=1 ccc=10' 'eee=2 ccc=5' 'eee=3 ddd=-1'
ask 'hist:keys=eee:vals=bbb+5,fff' 'eee=1 bbb=3 fff=7'
ask 'hist:keys=ccc+ddd:sort=ccc+ddd' 'ccc=1 ddd=1' 'ccc=5 ddd=-6' 'ccc=0 ddd=0'
ask 'hist:keys=-(ccc+ddd),ccc*ddd,ccc/2' 'ddd=1 ccc=5' 'ddd=-6 ccc=7'
ask 'hist:keys=eee:xxx=ccc:vals=$xxx,fff' 'eee=1 bbb=3 fff=7 ccc=9'
ask 'hist:keys=eee:xxx=ccc:vals=fff,aaa:sort=aaa,eee' 'eee=1 fff=7 ccc=9 aaa=2' 'eee=2 aaa=1'
ask 'hist:keys=eee:vals=5' 'eee=1' 'eee=2' 'eee=3' 'eee=3'
ask 'hist:keys=7' 'eee=1'
ask 'hist:keys=aaa:vvv=aaa:onmax($vvv).save(ccc,name,dyn,ddd)' 'aaa=1 ccc=5 name="abc" dyn="dd" ddd=-5' 'aaa=0 ccc=3 name="x"' 'aaa=2 ccc=3 name="0123456789abcdefgh" dyn="0123456789012345678901234567890123456789"'
ask 'hist:keys=aaa:vvv=ccc:onmax($vvv).save(eee)' 'aaa=1 ccc=5 eee=1' 'aaa=1 ccc=4 eee=2' 'aaa=1 ccc=6 eee=3' 'aaa=2 ccc=1 eee=4'
ask 'hist:keys=aaa:vvv=ccc:onchange($vvv).save(ddd,name)' 'aaa=1 ccc=5' 'aaa=1 ccc=5 name="x"' 'aaa=1 ccc=6 name="y"' 'aaa=2 ccc=0 name="zzz"'
ask 'hist:keys=aaa:vvv=ccc:onchange($vvv).snapshot()' 'aaa=1 ccc=5' 'aaa=1 ccc=5 name="x"' 'aaa=1 ccc=6 name="y"' 'aaa=2 ccc=0 name="zzz"'
ask 'hist:keys=aaa,name:vvv=ccc:onmax($vvv).snapshot():onmax($vvv).save(ddd)' 'aaa=1 ccc=5' 'aaa=1 ccc=5 name="x"' 'aaa=1 ccc=6 name="y"' 'aaa=2 ccc=0 name="zzz"'
ask 'hist:keys=aaa' 'aaa=1'
ask 'hist:keys=aaa'
many 'hist:keys=eee:vals=fff:sort=hitcount'
many 'hist:keys=eee:vals=fff:sort=fff.descending'
many 'hist:keys=eee:vals=fff:sort=fff,eee.descending'
many 'hist:keys=eee:vals=fff:sort=fff,hitcount'
many 'hist:keys=name,eee:vals=fff:sort=hitcount.descending,name'
many 'hist:keys=eee,name:vals=fff:sort=name'
many 'hist:keys=name:vals=fff,eee:sort=fff.descending'

# A full table
echo "##### hist:keys=eee:size=128"
echo hist:keys=eee:size=128 >$E/trigger
i=0
while [ $i -lt 150 ]; do
	echo "> eee=$i"
	echo "eee=$i" >$E/inject
	i=$((i + 1))
done
cat $E/hist
