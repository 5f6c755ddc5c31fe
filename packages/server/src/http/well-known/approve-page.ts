/** What stands behind `approval_url` until people can sign in. Looking at it decides nothing and tells nothing. */
import { isId } from '@permitry/protocol';
import { type Html, html } from './html.ts';
import { renderPage } from './page.ts';

/** The same page for every well-formed id, whether there is such an intent or not. */
export function renderApprovePage(baseUrl: string, intentId: string): string {
  return renderPage(
    'Decide on a request · Permitry',
    html`<h1>Decide on a request</h1>
<p>Agents ask here before they act. Deciding on this page takes sign-in, which is coming. Until then, decide from a
terminal with a secret key or a user token that may decide.</p>
<p class="soft">Request <code>${intentId}</code></p>
<p>Put the key where the commands find it:</p>
${command('export PERMITRY_KEY=…')}
<h2>1. Look at what is asked</h2>
${command(`curl "${baseUrl}/v1/intents/${intentId}" \\\n  -H "Authorization: Bearer $PERMITRY_KEY"`)}
<h2>2. Decide</h2>
<h3>Approve</h3>
${command(`curl -X POST "${baseUrl}/v1/intents/${intentId}/approve" \\\n  -H "Authorization: Bearer $PERMITRY_KEY"`)}
<h3>Deny</h3>
${command(
  `curl -X POST "${baseUrl}/v1/intents/${intentId}/deny" \\\n  -H "Authorization: Bearer $PERMITRY_KEY" \\\n  -H "Content-Type: application/json" \\\n  -d '{"reason":"Not today."}'`,
)}
<p class="soft">Opening this page decides nothing. It shows nothing of the request itself, since anybody may open it.</p>
<p><a href="../docs">Reference of all operations</a></p>`,
  );
}

export function isIntentId(text: string): boolean {
  return isId('int', text);
}

export function renderNoApprovePage(): string {
  return renderPage(
    'No such page · Permitry',
    html`<h1>This is not an approval link</h1>
<p>The address is cut off or mistyped. Copy the whole <code>approval_url</code> and open it again.</p>`,
  );
}

function command(text: string): Html {
  return html`<pre><code>${text}</code></pre>`;
}
