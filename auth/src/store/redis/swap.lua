-- Sets the value KEYS[1] if its current one is the expected one.
-- ARGV: "absent" or "present"; the expected value; the new value; its time to live in milliseconds.
-- Returns 1 if the value was set, otherwise 0.
local current = redis.call('GET', KEYS[1]) -- false if there is none
local expected = ARGV[1] == 'present' and ARGV[2]
if current ~= expected then
  return 0
end
if ARGV[4] == '0' then
  redis.call('DEL', KEYS[1]) -- `PX 0` is an error
else
  redis.call('SET', KEYS[1], ARGV[3], 'PX', ARGV[4])
end
return 1
