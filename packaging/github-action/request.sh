#!/usr/bin/env bash
# Asks for an approval, tells where to decide as soon as that is known, and hands on what came of it. Ends with the exit
# code of `permitry request`: 0 approved, 3 denied, 4 expired, 5 still pending, 1 and 2 as everywhere.
set -uo pipefail

: "${GITHUB_OUTPUT:?runs in a workflow of GitHub}" "${GITHUB_STEP_SUMMARY:?runs in a workflow of GitHub}"
read -ra permitry <<<"${ASK_COMMAND:-npx --no permitry}"
arguments=(request --json --params - --wait "${ASK_WAIT:-30m}")
[ -z "${ASK_APPROVERS:-}" ] || arguments+=(--approvers="$ASK_APPROVERS")
[ -z "${ASK_REASON:-}" ] || arguments+=(--reason="$ASK_REASON")
[ "${ASK_CONSUME:-false}" != true ] || arguments+=(--consume)
arguments+=(-- "${ASK_ACTION:?action is missing}")

# A member of the line's JSON, by a path of names; empty where there is none. Text of others stays JSON, on one line.
# The line goes by stdin: it may be longer than an argument, and holds the permit, which no list of processes shows then.
member() {
  node -e '
    const line = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
    const value = process.argv[1].split(".").reduce((at, name) => at?.[name], line);
    process.stdout.write(value == null ? "" : process.argv[2] === "quoted" ? JSON.stringify(value) : String(value));
  ' "${@:2}" <<<"$1"
}

# What has this form is all on one line and means nothing to a log, an output file or markdown.
assert_form() {
  [[ "$1" =~ ^$2$ ]] && return
  echo "::error title=Permitry::The gate answered something that is no $3."
  exit 1
}

tell_pending() {
  local url until
  url=$(member "$1" approval_url)
  until=$(member "$1" expires_at)
  assert_form "$url" 'https?://[A-Za-z0-9._:/~%?=&#-]+' address
  assert_form "$until" '[0-9TZ:.-]+' time
  echo "::notice title=Approval needed::$ASK_ACTION waits for a decision at $url"
  printf '### `%s` waits for an approval\n\n[Look at the request and decide](%s), until %s.\n\n' \
    "$ASK_ACTION" "$url" "$until" >>"$GITHUB_STEP_SUMMARY"
}

tell_end() {
  local id token by reason
  id=$(member "$1" id)
  token=$([ "${ASK_CONSUME:-false}" = true ] || member "$1" permit.token)
  by=$(member "$1" resolved_by quoted)
  reason=$(member "$1" reason quoted)
  assert_form "$id" 'int_[a-z0-9]+' id
  assert_form "$token" '[A-Za-z0-9_.-]*' permit
  # Before anything else is written: from here on no log shows it.
  [ -z "$token" ] || echo "::add-mask::$token"
  printf 'intent-id=%s\nstatus=%s\npermit=%s\n' "$id" "$2" "$token" >>"$GITHUB_OUTPUT"
  echo "$ASK_ACTION ($id) is $2${by:+ by $by}${reason:+: $reason}"
  printf '`%s` (`%s`) is **%s**.\n' "$ASK_ACTION" "$id" "$2" >>"$GITHUB_STEP_SUMMARY"
}

last='' status='' code=1
while IFS= read -r line; do
  case "$line" in
  exit\ *) code=${line#exit } ;;
  '') ;;
  *)
    last=$line
    status=$(member "$line" status)
    assert_form "$status" '(approved|denied|expired|pending)' status
    [ "$status" != pending ] || tell_pending "$line"
    ;;
  esac
done < <(
  printf '%s' "${ASK_PARAMS:-{\}}" | "${permitry[@]}" "${arguments[@]}"
  echo "exit $?"
)
[ -z "$last" ] || tell_end "$last" "$status"
exit "$code"
