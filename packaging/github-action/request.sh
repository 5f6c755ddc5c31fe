#!/usr/bin/env bash
# Requests approval, shows the link to decide, and passes on the result. Ends with the exit code of `permitry request`:
# 0 approved, 3 denied, 4 expired, 5 still pending, 1 and 2 as everywhere.
set -uo pipefail

: "${GITHUB_OUTPUT:?runs in a workflow of GitHub}" "${GITHUB_STEP_SUMMARY:?runs in a workflow of GitHub}"
read -ra permitry <<<"${ASK_COMMAND:-npx --no permitry}"
arguments=(request --json --params - --wait "${ASK_WAIT:-30m}")
[ -z "${ASK_APPROVERS:-}" ] || arguments+=(--approvers="$ASK_APPROVERS")
[ -z "${ASK_REASON:-}" ] || arguments+=(--reason="$ASK_REASON")
[ "${ASK_CONSUME:-false}" != true ] || arguments+=(--consume)
arguments+=(-- "${ASK_ACTION:?action is missing}")

# Prints a member of the line's JSON, by a path of names; nothing if there is none. Text from others stays JSON, on one
# line. The line comes on stdin: it may be longer than an argument, and it holds the permit, which a list of processes
# would show.
member() {
  node -e '
    const line = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
    const value = process.argv[1].split(".").reduce((at, name) => at?.[name], line);
    process.stdout.write(value == null ? "" : process.argv[2] === "quoted" ? JSON.stringify(value) : String(value));
  ' "${@:2}" <<<"$1"
}

# A text of such a form is on one line, and is not a command in a log, an output file or Markdown.
assert_form() {
  [[ "$1" =~ ^$2$ ]] && return
  echo "::error title=Permitry::The gate sent something that is not a valid $3."
  exit 1
}

tell_pending() {
  local url until
  url=$(member "$1" approval_url)
  until=$(member "$1" expires_at)
  assert_form "$url" 'https?://[A-Za-z0-9._:/~%?=&#-]+' address
  assert_form "$until" '[0-9TZ:.-]+' time
  echo "::notice title=Approval needed::$ASK_ACTION is pending. Review it at $url"
  printf '### `%s` needs approval\n\n[Review the request](%s). It expires at %s.\n\n' \
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
  # Mask the permit before anything else is written, so that no log shows it.
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
