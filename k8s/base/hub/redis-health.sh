#!/bin/sh
# Fails if Redis does not answer, for the health check of compose, and ends a Redis that has not answered for a while: Docker restarts
# what ended, and leaves what is unhealthy. A script that has written and does not end can be ended in no other way.
#   REDIS_SILENCE   so long it may be silent, in seconds. Default 30
#   REDIS_PID       its process. Default 1
#   REDIS_FOLDER    where the time of the first failure is kept. Default /data, which is in memory and is lost at a restart
# Arguments are options of redis-cli.
set -eu
since=${REDIS_FOLDER:-/data}/silent-since
# redis-cli exits 0 on an error reply, too. This user may send PING and nothing else.
if timeout 1 redis-cli --user flotilla-probe --pass none --no-auth-warning "$@" ping 2>&1 | grep -q PONG; then
  rm -f "$since"
  exit 0
fi
echo "Redis does not answer PING"
[ -s "$since" ] || date +%s > "$since"
[ $(($(date +%s) - $(cat "$since"))) -ge "${REDIS_SILENCE:-30}" ] || exit 1
rm -f "$since"
# A first SIGINT asks Redis to end, which waits for the script; a second one ends it at once.
kill -INT "${REDIS_PID:-1}"
sleep 1
kill -INT "${REDIS_PID:-1}" 2>/dev/null || true
exit 1
