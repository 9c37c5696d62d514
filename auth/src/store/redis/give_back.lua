-- Takes back one attempt of the counter KEYS[1], if its window is still ARGV[1].
local counter = redis.call('HMGET', KEYS[1], 'count', 'window')
if counter[2] == ARGV[1] and tonumber(counter[1]) > 0 then
  redis.call('HINCRBY', KEYS[1], 'count', -1)
end
