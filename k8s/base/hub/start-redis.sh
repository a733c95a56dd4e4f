#!/bin/sh
# Starts Redis with the users of redis-users.acl, which lies beside this file. The configuration comes from standard input, so
# that no argument and no variable has a password.
#   REDIS_PASSWORDS        folder with one folder for each user: poller, resolver, applier, and console and notifier if there is one; in each a file `password`
#   REDIS_MAKE_PASSWORDS   not empty: a password that is missing is made
#   FLOTILLA_REDIS_PREFIX  as the services have it
# Arguments are options of redis-server.
set -eu
folder=${REDIS_PASSWORDS:-/etc/flotilla/redis}
rules=$(cat "$(dirname "$0")/redis-users.acl")
for user in poller resolver applier console notifier; do
  file=$folder/$user/password
  # A hub without a console or a notifier has no folder for its password, and its user cannot log in.
  case $user in console | notifier) if [ ! -d "$folder/$user" ]; then continue; fi ;; esac
  if [ ! -s "$file" ] && [ -n "${REDIS_MAKE_PASSWORDS:-}" ]; then
    (umask 0027; head -c 24 /dev/urandom | od -An -tx1 | tr -d ' \n' > "$file.new")
    mv "$file.new" "$file"
  fi
  password=$(cat "$file")
  [ -n "$password" ] || { echo "the password of $user in $file is empty" >&2; exit 1; }
  hash=$(printf %s "$password" | sha256sum | cut -d ' ' -f 1)
  rules=$(printf '%s\n' "$rules" | sed "s/^user flotilla-$user on /&#$hash /")
done
rules=$(printf '%s\n' "$rules" | sed "s/~flotilla:/~${FLOTILLA_REDIS_PREFIX:-flotilla}:/g")
# A script that runs for longer may be ended (script|kill in redis-users.acl). Those of the queues take milliseconds.
# It holds nothing that cannot be rebuilt. It must not evict jobs when memory is short, and answers its clients with an error
# before the kernel would end it.
exec redis-server - "$@" <<END
$rules
busy-reply-threshold 2000
save ""
appendonly no
maxmemory 768mb
maxmemory-policy noeviction
END
