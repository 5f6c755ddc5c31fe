import type { FirstCredentials } from '@permitry/server';

/**
 * The whole path as shell lines to paste: request, approve, collect, verify, and a refusal with another amount.
 *
 * Comments contain no quotes and no parentheses, because zsh reads those as commands when they are pasted.
 */
export function curlLines(baseUrl: string, credentials: FirstCredentials): string {
  const json = `-H 'Content-Type: application/json'`;
  return `BASE_URL=${baseUrl}
AGENT_KEY=${credentials.agent_key}
SECRET_KEY=${credentials.secret_key}
VERIFIER_KEY=${credentials.verifier_key}

# 1. The agent requests a refund of 120 dollars. The answer says pending.
ANSWER=$(curl -sS "$BASE_URL/v1/intents" \\
  -H "Authorization: Bearer $AGENT_KEY" ${json} \\
  -d '{"action":"payments.refund","params":{"order":"A-1001","amount":120}}')
echo "$ANSWER"
REQUEST_ID=$(echo "$ANSWER" | grep -o 'int_[0-9A-Za-z]*' | head -n 1)

# 2. You approve.
curl -sS -X POST "$BASE_URL/v1/intents/$REQUEST_ID/approve" \\
  -H "Authorization: Bearer $SECRET_KEY"; echo

# 3. The agent collects its permit.
ANSWER=$(curl -sS "$BASE_URL/v1/intents/$REQUEST_ID" \\
  -H "Authorization: Bearer $AGENT_KEY")
PERMIT=$(echo "$ANSWER" | grep -o '"token":"[^"]*' | cut -d '"' -f 4)
echo "$PERMIT"

# 4. The executor verifies the permit before it pays. The answer says authorizes true.
curl -sS "$BASE_URL/v1/permits/validate" \\
  -H "Authorization: Bearer $VERIFIER_KEY" ${json} \\
  -d '{"token":"'"$PERMIT"'","action":"payments.refund",
       "params":{"order":"A-1001","amount":120}}'; echo

# 5. Ten times the amount is refused: params_mismatch.
curl -sS "$BASE_URL/v1/permits/validate" \\
  -H "Authorization: Bearer $VERIFIER_KEY" ${json} \\
  -d '{"token":"'"$PERMIT"'","action":"payments.refund",
       "params":{"order":"A-1001","amount":1200}}'; echo
`;
}
