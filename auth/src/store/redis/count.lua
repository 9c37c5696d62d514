-- Counts one attempt in the counter KEYS[1], a hash with the fields `count` and `window`.
-- ARGV: the limit; the length of a window in milliseconds.
-- Returns {1, the window} if the attempt was counted, otherwise {0, milliseconds until the window ends}.
local counter = redis.call('HMGET', KEYS[1], 'count', 'window') -- two times false if there is none
if counter[2] and tonumber(counter[1]) >= tonumber(ARGV[1]) then
  return {0, redis.call('PTTL', KEYS[1])}
end
if counter[2] then
  redis.call('HINCRBY', KEYS[1], 'count', 1)
  return {1, counter[2]}
end
-- The first attempt starts a window. Its number is the time in microseconds; no two attempts have the same one.
local time = redis.call('TIME')
local window = time[1] .. string.format('%06d', time[2])
redis.call('HSET', KEYS[1], 'count', 1, 'window', window)
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return {1, window}
