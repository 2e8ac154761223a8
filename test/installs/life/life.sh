#!/bin/sh
# The life of an installation, from the tarball on an empty machine to another machine and another version, and back. It
# uses nothing of the project but the tarballs, and homes that older versions have left. Each step says how long it took.
#
#   life.sh WORK TARBALL NEXT HOMES   # NEXT: a tarball of a later version; HOMES: a folder of homes as .tar.gz
set -eu
work=$1 tarball=$2 next=$3 homes=$4
begun=$(date +%s%N)

step() { # what was done, and what it weighs
  now=$(date +%s%N)
  printf '%-42s %6d ms  %s\n' "$1" $(((now - begun) / 1000000)) "${2:-}"
  begun=$(date +%s%N)
}
size() { du -sm "$1" | cut -f1; }
fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# A machine is a user's folders: what another one knows is in none of them.
machine() {
  HOME=$work/$1
  XDG_CONFIG_HOME=$HOME/.config XDG_STATE_HOME=$HOME/.local/state XDG_DATA_HOME=$HOME/.local/share XDG_CACHE_HOME=$HOME/.cache
  PATH=$HOME/npm/bin:${PATH#"$work"/*/npm/bin:}
  export HOME XDG_CONFIG_HOME XDG_STATE_HOME XDG_DATA_HOME XDG_CACHE_HOME PATH
  mkdir -p "$HOME"
  cd "$HOME"
  npm install --global --ignore-scripts --no-audit --no-fund --loglevel=error --prefix "$HOME/npm" "$tarball" > /dev/null
}
# Starts oka up, waits for a file, and ends it in order.
until_there() {
  oka up --no-web --no-setup --dir "$1" > "$work/up.log" 2>&1 &
  up=$!
  for _ in $(seq 600); do
    if [ -n "$(find "$1/workspace/outbox" -path "*$2*/RESULT.md" -exec grep -l '✅ Done' {} + 2> /dev/null)" ]; then
      kill -TERM $up
      wait $up || fail "oka up ended with $?"
      return 0
    fi
    sleep 0.2
  done
  kill -KILL $up
  cat "$work/up.log" >&2
  fail "no result of $2"
}

machine first
first=$(oka --version)
step "installed oka $first" "$(size "$HOME/npm") MB with Node"
home=$HOME/assistant
until_there "$home" welcome
step 'first result'

if systemctl --user show-environment > /dev/null 2>&1; then
  oka service install --dir "$home" > "$work/service.log"
  for _ in $(seq 100); do
    if oka status --health --dir "$home" > /dev/null; then break; fi
    sleep 0.2
  done
  oka service status --dir "$home" >> "$work/service.log" || fail "$(cat "$work/service.log")"
  printf -- '---\nid: served\n---\n```bash\necho served > served.txt\n```\n' > "$work/served.md"
  cp "$work/served.md" "$home/workspace/inbox/served.md"
  for _ in $(seq 300); do
    if [ -e "$home/workspace/desk/served.txt" ]; then break; fi
    sleep 0.2
  done
  [ -e "$home/workspace/desk/served.txt" ] || fail 'the service does no task'
  oka service remove --dir "$home" > /dev/null
  if oka service status --dir "$home" > /dev/null; then fail 'the service is still there'; fi
  step 'as a service of systemd: a task, removed'
else
  oka service install --dir "$home" > "$work/service.log" 2>&1 && fail 'a service without systemd'
  grep -q 'crontab -e: @reboot' "$work/service.log" || fail "$(cat "$work/service.log")"
  step 'no service manager: a line for crontab'
fi

echo 'what must come back' > "$home/workspace/desk/notes.txt"
echo 'sesame-open-4711' | oka secrets set TRIAL --dir "$home" 2> /dev/null > /dev/null
cp -a "$home/workspace/desk" "$work/desk-before"
cp "$home/.oka/run_ledger.jsonl" "$work/ledger-before"
oka backup --to "$work/backups" --recovery-key "$work/recovery.key" --dir "$home" > /dev/null
step 'backup' "$(size "$work/backups") MB"
rm -rf "$HOME"
step 'the machine is gone'

machine second
home=$HOME/assistant
oka restore --from "$work/backups" --key "$work/recovery.key" --dir "$home" > "$work/restore.log"
diff -r "$work/desk-before" "$home/workspace/desk"
cmp -n "$(stat -c %s "$work/ledger-before")" "$work/ledger-before" "$home/.oka/run_ledger.jsonl"
oka verify --dir "$home" > /dev/null
oka secrets list --dir "$home" | grep -q TRIAL || fail 'the secret did not come back'
[ -e "$home/.oka/PAUSED" ] || fail 'it is not paused'
step 'installed and restored on another machine'
oka unpause --dir "$home" > /dev/null
printf -- '---\nid: again\n---\n```bash\ncat notes.txt > again.txt\n```\n' > "$home/workspace/inbox/again.md"
until_there "$home" again
grep -q 'what must come back' "$home/workspace/desk/again.txt"
step 'it goes on there'

for old in "$homes"/*.tar.gz; do
  name=$(basename "$old" .tar.gz)
  mkdir "$work/old-$name"
  tar -C "$work/old-$name" --no-same-owner -xzf "$old"
  oka verify --dir "$work/old-$name" > /dev/null
  printf -- '---\nid: new-task\n---\n```bash\necho new > new.txt\n```\n' > "$work/old-$name/workspace/inbox/new-task.md"
  until_there "$work/old-$name" new-task
  oka verify --dir "$work/old-$name" > /dev/null
  step "a home of $name works on"
done

oka update --from "$next" --dir "$home" > "$work/update.log" 2>&1 || fail "$(cat "$work/update.log")"
second=$(oka --version)
[ "$second" != "$first" ] || fail 'it was not updated'
oka verify --dir "$home" > /dev/null
step "updated to $second, tried with a copy first" "$(size "$HOME/npm") MB with both"
oka update --back --dir "$home" > /dev/null
[ "$(oka --version)" = "$first" ] || fail 'it did not go back'
oka run 'echo back > back.txt' --dir "$home" > /dev/null 2>&1 || true
oka verify --dir "$home" > /dev/null
step "back to $first"
