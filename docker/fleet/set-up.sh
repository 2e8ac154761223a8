#!/bin/sh
# Sets up the homes of docker-compose.fleet.yml, and a user of the message servers for each of them. Run again, it adds
# what is missing and changes nothing else.
#
#   set-up.sh folders  the folders and volumes, for the user who is named; Docker would make them as root
#   set-up.sh homes    the homes, the key of the proxy, and the users; before the servers start
#   set-up.sh streams  the streams of the fleet, which members may not create; once the servers run
#
# A password is in the vault of its member and in the users of the servers, and nowhere else.
set -eu
USERS=/fleet/users
ADMINISTRATOR=/keys/administrator/credentials

# What belongs to somebody stays as it is.
folders() {
  for home in /homes/worker-1 /homes/worker-2 /homes/worker-3; do
    mkdir -p "$home/.oka/rules" "$home/.oka/intake" "$home/.oka/web" "$home/workspace/inbox"
  done
  mkdir -p /homes/rules
  find /homes /volumes/* -maxdepth 4 -type d -user 0 -exec chown "$OWNER" {} +
}

homes() {
  for member in worker-1 worker-2 worker-3; do
    at_home "/homes/$member" "/keys/$member"
    oka init --egress-key /keys/egress/key
    [ -e "$USERS/$member" ] || add_member "$member"
  done
  umask 077
  [ -e "$USERS/administrator" ] || add_administrator
  { echo 'users: ['; cat "$USERS"/worker-? "$USERS/administrator"; echo ']'; } > "$USERS/users.conf"
}

# Each of them may stop and drain the others: all of them have one policy, and one person.
add_member() {
  password=$(new_password)
  echo "$1:$password" | oka secrets set fleet
  add_user "$1" "$password" --operator
}

add_administrator() {
  password=$(new_password)
  echo "administrator:$password" > "$ADMINISTRATOR"
  add_user administrator "$password" --administrator
}

new_password() {
  node -p 'crypto.randomBytes(24).toString("hex")'
}

# Comes last: a user that is there has its password in a vault.
add_user() (
  umask 077
  oka fleet permissions "$1" "$3" | sed "s/\$OKA_FLEET_PASSWORD/$2/" > "$USERS/.part"
  mv "$USERS/.part" "$USERS/$1"
)

streams() {
  at_home /tmp/administrator /tmp/administrator/keys
  # A home for as long as this takes.
  { oka init && oka secrets set fleet < "$ADMINISTRATOR"; } > /dev/null
  oka fleet create
}

at_home() {
  export OKA_DIR="$1" HOME="$1/.oka/home" XDG_CONFIG_HOME="$2/vault" XDG_STATE_HOME="$2/state"
}

"$1"
