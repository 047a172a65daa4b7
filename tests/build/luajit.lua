-- SPDX-License-Identifier: MIT
-- Errors of all kinds, for luajit.sh: their messages must not depend on a tracer.
local started, aborted = 0, 0
if jit.status() then
	jit.attach(function(what)
		started = started + (what == "start" and 1 or 0)
		aborted = aborted + (what == "abort" and 1 or 0)
	end, "trace")
end

print(pcall(error, "x"))
print(pcall(error, { 1 }) and "?" or "table")
print(select('#', pcall(error)))
local function deep(n) if n == 0 then error("deep") end return 1 + deep(n - 1) end
print(pcall(deep, 150))
local function overflow() return 1 + overflow() end
local ok, text = pcall(overflow)
print(ok, (tostring(text):gsub("^.*: ", "")))
print(xpcall(deep, function(e) return "handled " .. e .. select(2, debug.traceback():gsub("\n", "\n")) end, 5))
-- through C functions that call back
print(pcall(table.sort, { 3, 2, 1, 5, 4 }, function(a, b) error("sort") end))
print(pcall(string.gsub, "abc", ".", function(c) error("gsub " .. c, 0) end))
print(pcall(string.rep))
print(pcall(string.format, "%d", {}))
print(pcall(loadstring, 5, {}), loadstring("x ="))
print(pcall(require, "no.such.module") == false)
-- coroutines
local co = coroutine.create(function(a) coroutine.yield(a + 1) error("in coroutine", 0) end)
print(coroutine.resume(co, 1)) print(coroutine.resume(co)) print(coroutine.resume(co))
local wrapped = coroutine.wrap(function() pcall(coroutine.yield, 7) error("wrapped", 0) end)
print(wrapped(), pcall(wrapped))
for level = 1, 5 do
	local function nest(n)
		if n == 0 then error("level " .. level, 0) end
		local ok, e = pcall(nest, n - 1)
		error(e .. "'", 0)
	end
	print(pcall(nest, level))
end
-- metamethods
local t = setmetatable({}, { __index = function(_, k) error("index " .. k, 0) end,
	__add = function() error("add", 0) end, __tostring = function() error("text", 0) end })
print(pcall(function() return t.a end)) print(pcall(function() return t + 1 end))
print(pcall(tostring, t))
-- hot loops: the compiler records, aborts and exits traces
local count = 0
for i = 1, 2000 do
	local ok, e = pcall(function(n) if n % 3 == 0 then error(n, 0) end return n end, i)
	if not ok then count = count + e end
end
print(count)
local bad = 0
for i = 1, 500 do
	local ok = pcall(string.rep, "x", i % 2 == 0 and {} or 2)
	if not ok then bad = bad + 1 end
	string.gsub("hello", "l", function(c) return c:upper() end)
	local s = string.format("%s %d", "a", i) .. i
end
print(bad)
local sum = 0
for i = 1, 300 do
	local co = coroutine.wrap(function(n) for j = 1, n do coroutine.yield(j) end error("end") end)
	for j = 1, 3 do sum = sum + co(j < 2 and 5 or nil) end
end
print(sum)
print(pcall(function() for i = 1, 200 do local x = ({ 1, 2, 3 })[i % 3 + 1] + (i < 150 and 1 or nil) end end))
collectgarbage()
print("traces", started > 0, "aborted", aborted > 0, "as with the compiler", jit.status())
