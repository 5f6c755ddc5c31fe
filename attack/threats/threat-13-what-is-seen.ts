/** Threat 13: approvers see the request in full and without effect. */
import {
  canonicalJson,
  hashJson,
  type IntentHashInput,
  intentHash,
  type JsonObject,
} from '@permitry/protocol';
import type { CatalogueEntry } from '../attack-case.ts';
import { check, expectDone, expectRefused, expectStatus } from '../range/expect.ts';
import type { Answer } from '../range/http-client.ts';
import { HOSTILE_PARAMS as PARAMS_OF_EACH_KIND } from '../tables/hostile-texts.ts';

const MARKUP = '<script>alert(1)</script><img src=x onerror=alert(2)><svg/onload=alert(3)>"\'><!--';

const HOSTILE_PARAMS: JsonObject = {
  markup: MARKUP,
  markdown: '[click](javascript:alert(1)) ![x](http://evil.example/x.png) **approved by owner**',
  bidi: 'pay \u202e000,1 rof eciovni\u202c \u2066hidden\u2069',
  invisible: 'a\u200bb\u200dc\ufeffd\u00ad',
  host: 'https://\u0440aypal.com.evil.example/\u2024/login',
  lines: 'first\n\n\n\n\n\nAPPROVED\r\n\u2028next\u0085',
  control: 'bell\u0007 escape\u001b[2J delete\u007f',
  long: `${'x'.repeat(150_000)}END`,
  list: Array.from({ length: 3000 }, (_, i) => i),
  constructor: { prototype: 'x' },
};

/** How a page loads its own program: from a file of the gate, with nothing inline. */
const OWN_SCRIPT = /<script type="module" crossorigin src="\/assets\/[\w-]+\.js"><\/script>/g;

function expectInert(page: Answer, what: string): void {
  const text = page.text.replace(OWN_SCRIPT, '').toLowerCase();
  for (const piece of ['<script', 'onerror=', 'onload=', '<svg/', 'javascript:'])
    check(!text.includes(piece), `${what} holds ${piece}`, page);
  const policy = String(page.headers['content-security-policy'] ?? '');
  check(
    policy.includes("default-src 'none'"),
    `${what} is under the content security policy "${policy}"`,
    page,
  );
  check(!/unsafe-(inline|eval)/.test(policy), `${what} allows inline code: ${policy}`, page);
  check(String(page.headers['x-content-type-options']) === 'nosniff', `${what} may be sniffed`, page);
}

/** The same check that the page makes before it offers an approval. */
function expectWhatWasHashed(shown: Answer, params: JsonObject, metadata: JsonObject): void {
  const { canonical_params: text, hashed, params_hash: paramsHash, intent_hash: whole } = shown.body;
  check(text === canonicalJson(params), 'what is shown is not what was sent', shown);
  check(paramsHash === hashJson(params), 'the hash is not that of what was sent', shown);
  const rest = hashed as Omit<IntentHashInput, 'params'>;
  check(canonicalJson(rest.metadata) === canonicalJson(metadata), 'the agent’s words were changed', shown);
  check(intentHash({ ...rest, params }) === whole, 'what is shown does not hash to what was signed', shown);
  check(String(shown.headers['x-content-type-options']) === 'nosniff', 'the answer may be sniffed', shown);
}

export const WHAT_IS_SEEN: readonly CatalogueEntry[] = [
  {
    id: 'T13-page-inert',
    title: 'markup in an approval page',
    threats: ['13'],
    aisvs: ['9.2.2'],
    attack: 'Parameters, names and the id in the address hold scripts, images, links and quotes.',
    expected:
      'The page holds none of it as markup, under a policy that runs and loads nothing from elsewhere.',
    needs: ['agent'],
    async run({ main }) {
      const id = await main.newIntent(main.action('page'), HOSTILE_PARAMS, { metadata: { note: MARKUP } });
      for (const [what, path] of [
        ['the approval page', `/approve/${id}`],
        ['the approval page of a hostile id', `/approve/${encodeURIComponent(MARKUP).slice(0, 240)}`],
        ['the reference page', '/docs'],
      ] as const)
        expectInert(await main.call('GET', path), what);
    },
  },
  {
    id: 'T13-params-whole',
    title: 'parameters that are cut or changed on their way to the approver',
    threats: ['13'],
    aisvs: ['9.2.2'],
    attack:
      'An agent asks with 150,000 letters, direction marks, invisible characters and look-alike hosts, hoping that some are not shown.',
    expected: 'The approver reads every character as it was sent, and the hash is that of what was sent.',
    needs: ['agent', 'decider'],
    async run({ main }) {
      const id = await main.newIntent(main.action('whole'), HOSTILE_PARAMS);
      for (const surface of main.surfaces) {
        const read = expectDone(await surface.read(main.decider, id), 'reading');
        const shown = (read.body.context ?? read.body.params) as JsonObject;
        check(
          JSON.stringify(shown) === JSON.stringify(HOSTILE_PARAMS),
          'what is shown is not what was sent',
          read,
        );
        check(
          read.body.params_hash === hashJson(HOSTILE_PARAMS),
          'the hash is not that of what was sent',
          read,
        );
      }
    },
  },
  {
    id: 'T13-decision-page',
    title: 'what a signed-in approver is shown',
    threats: ['13'],
    aisvs: ['9.2.2'],
    attack:
      'Parameters with markup, direction marks and 150,000 letters are asked for, to be shown on the page on which a person decides; then a decision names something else than was shown.',
    expected:
      'The page is given exactly the text that was hashed, so that a browser can check it; looking changes nothing, and a decision on anything else is refused.',
    needs: ['agent', 'decider', 'observer', 'somebody who signs in'],
    async run({ main }) {
      const metadata = { note: MARKUP, bidi: HOSTILE_PARAMS.bidi ?? null };
      const id = await main.newIntent(main.action('decision'), HOSTILE_PARAMS, { metadata });
      const headers = await main.signIn();
      const look = (method: string, path: string) => main.call(method, path, { headers });
      const hashOf = async (intentId: string) =>
        String((await look('GET', `/console/intents/${intentId}`)).body.intent_hash);
      await main.unchanged('looking at a request', { intents: [id], whole: false }, async () => {
        for (const method of ['GET', 'HEAD'])
          for (const query of ['', '?decision=approve', '?_method=PATCH&approve=1'])
            for (const path of [`/approve/${id}${query}`, `/console/intents/${id}${query}`])
              expectStatus(await look(method, path), 200, `${method} ${path}`);
      });
      expectInert(await look('GET', `/approve/${id}`), 'the page of a signed-in approver');
      const shown = expectDone(await look('GET', `/console/intents/${id}`), 'looking at a request');
      expectWhatWasHashed(shown, HOSTILE_PARAMS, metadata);
      for (const [what, params] of Object.entries(PARAMS_OF_EACH_KIND)) {
        // Large parameters (200 kB) fit into a request only once, so the metadata stays empty for them.
        const words = JSON.stringify(params).length < 100_000 ? { words: params } : {};
        const asking = await main.newIntent(main.action('decision'), params, { metadata: words });
        const seen = expectDone(await look('GET', `/console/intents/${asking}`), what);
        expectWhatWasHashed(seen, params, words);
      }
      const other = await hashOf(await main.newIntent());
      const { intent_hash: own, params_hash } = shown.body;
      await main.unchanged('deciding on something else', { intents: [id], whole: false }, async () => {
        for (const intent_hash of [hashJson({}), other, params_hash, '', String(own).toUpperCase()]) {
          for (const decision of ['approve', 'deny']) {
            const body = { decision, intent_hash };
            const onA = await main.call('PATCH', `/api/intents/${id}`, { headers, body });
            expectRefused('A', onA, 409, 'CONFLICT', 'a decision on something else');
            const named = { key: main.decider, body: { intent_hash } };
            const onB = await main.call('POST', `/v1/intents/${id}/${decision}`, named);
            expectRefused('B', onB, 409, 'CONFLICT', 'a decision on something else');
          }
        }
      });
      const body = { decision: 'approve', intent_hash: own };
      const decided = await main.call('PATCH', `/api/intents/${id}`, { headers, body });
      check(decided.body.status === 'approved', 'what was shown cannot be approved', decided);
    },
  },
];
