/** Threats 13, 14 and 27: approvers see what was asked, whole and inert, and its twin; no page or browser decides for them. */
import {
  canonicalJson,
  hashJson,
  type IntentHashInput,
  intentHash,
  type JsonObject,
} from '@permitry/protocol';
import type { AttackCase } from '../attack-case.ts';
import { check, expectDone, expectRefused, expectStatus } from '../range/expect.ts';
import type { Answer } from '../range/http-client.ts';

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

/** How a page loads its own program: a file of the gate, nothing inline. */
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
function expectWhatWasHashed(shown: Answer, metadata: JsonObject): void {
  const { canonical_params: text, hashed, params_hash: paramsHash, intent_hash: whole } = shown.body;
  check(text === canonicalJson(HOSTILE_PARAMS), 'what is shown is not what was sent', shown);
  check(paramsHash === hashJson(HOSTILE_PARAMS), 'the hash is not that of what was sent', shown);
  const rest = hashed as Omit<IntentHashInput, 'params'>;
  check(canonicalJson(rest.metadata) === canonicalJson(metadata), 'the agent’s words were changed', shown);
  check(
    intentHash({ ...rest, params: HOSTILE_PARAMS }) === whole,
    'what is shown does not hash to what was signed',
    shown,
  );
  check(String(shown.headers['x-content-type-options']) === 'nosniff', 'the answer may be sniffed', shown);
}

export const WHAT_IS_SEEN: readonly AttackCase[] = [
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
      return undefined;
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
      return undefined;
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
    needs: ['agent', 'observer', 'somebody who signs in'],
    async run({ main }) {
      const metadata = { note: MARKUP, bidi: HOSTILE_PARAMS.bidi ?? null };
      const id = await main.newIntent(main.action('decision'), HOSTILE_PARAMS, { metadata });
      const asked = expectDone(await main.surfaces[1].read(main.agentKey, id), 'reading');
      const headers = await main.signIn(new URL(String(asked.body.approval_url)).origin);
      const look = (method: string, path: string) => main.call(method, path, { headers });
      await main.unchanged('looking at a request', { intents: [id], whole: false }, async () => {
        for (const method of ['GET', 'HEAD'])
          for (const path of [`/approve/${id}?decision=approve`, `/console/intents/${id}?decision=approve`])
            expectStatus(await look(method, path), 200, `${method} ${path}`);
      });
      expectInert(await look('GET', `/approve/${id}`), 'the page of a signed-in approver');
      const shown = expectDone(await look('GET', `/console/intents/${id}`), 'looking at a request');
      expectWhatWasHashed(shown, metadata);
      await main.unchanged('deciding on something else', { intents: [id], whole: false }, async () => {
        const answer = await main.call('PATCH', `/api/intents/${id}`, {
          headers,
          body: { decision: 'approve', intent_hash: hashJson({}) },
        });
        expectRefused('A', answer, 409, 'CONFLICT', 'a decision on something else');
      });
      return undefined;
    },
  },
  {
    id: 'T27-twin',
    title: 'an identical request right after its twin was used',
    threats: ['27', '13'],
    aisvs: ['9.2.2'],
    attack:
      'A request is approved and its permit used; another request between hides it from the comparison with last time; then an identical one is sent.',
    expected: 'What a signed-in approver is shown names the twin, when it was approved and when it was used.',
    needs: ['agent', 'verifier', 'decider', 'somebody who signs in'],
    async run({ main }) {
      const action = main.action('twin');
      const params = { order: 'A-4711', amount: 120.5 };
      const { id: first, shown } = await main.newPermit({ action, params });
      expectDone(
        await main.surfaces[1].verify(main.verifierKey, { ...shown, consume: true }),
        'using a permit',
      );
      await main.newPermit({ action, params: { ...params, amount: 1 } });
      const id = await main.newIntent(action, { amount: 120.5, order: 'A-4711' });
      const asked = expectDone(await main.surfaces[1].read(main.agentKey, id), 'reading');
      const headers = await main.signIn(new URL(String(asked.body.approval_url)).origin);
      const seen = expectDone(await main.call('GET', `/console/intents/${id}`, { headers }), 'looking');
      const twin = seen.body.approved_lately as JsonObject | null;
      check(twin?.id === first, 'the approver is not told of the twin', seen);
      check(typeof twin?.approved_at === 'string', 'the approver is not told when it was approved', seen);
      check(typeof twin?.used_at === 'string', 'the approver is not told that it was used', seen);
      return undefined;
    },
  },
  {
    id: 'T14-get-decides',
    title: 'a link that decides when it is opened',
    threats: ['14'],
    aisvs: ['9.2.1'],
    attack:
      'The approval page, and every deciding address, is opened as mail scanners and link previews do, with and without a credential.',
    expected: 'Nothing is decided; deciding addresses do not answer GET, and the page takes no POST.',
    needs: ['agent', 'decider', 'observer'],
    async run({ main }) {
      const id = await main.newIntent();
      await main.unchanged('opening links', { intents: [id], whole: false }, async () => {
        for (const key of [undefined, main.decider]) {
          for (const path of [`/approve/${id}`, `/approve/${id}?decision=approve&confirm=1`])
            expectStatus(await main.call('GET', path, { key }), 200, `GET ${path}`);
          for (const path of [`/v1/intents/${id}/approve`, `/v1/intents/${id}/deny`]) {
            for (const method of ['GET', 'HEAD'])
              expectStatus(await main.call(method, path, { key }), [401, 404, 405], `${method} ${path}`);
          }
          const form = { 'content-type': 'application/x-www-form-urlencoded' };
          for (const method of ['POST', 'PUT'])
            expectStatus(
              await main.call(method, `/approve/${id}`, { key, headers: form, body: 'decision=approve' }),
              [404, 405],
              `${method} to the page`,
            );
        }
      });
      return undefined;
    },
  },
  {
    id: 'T14-cross-site',
    title: 'a foreign page sends a decision',
    threats: ['14'],
    aisvs: ['9.2.1'],
    attack:
      'A decision is sent as a browser sends it from a foreign page: as a form, as text, with a cookie and an Origin, after a preflight.',
    expected:
      '401 without a key, 415 for what a form can send; no page of another origin may read or send anything.',
    needs: ['agent', 'decider', 'observer'],
    async run({ main }) {
      const id = await main.newIntent();
      const path = `/v1/intents/${id}/approve`;
      const foreign = {
        origin: 'https://evil.example',
        'sec-fetch-site': 'cross-site',
        cookie: `session=${main.decider}`,
      };
      await main.unchanged('a foreign page', { intents: [id], whole: false }, async () => {
        const withCookie = await main.call('POST', path, { headers: foreign, body: {} });
        expectRefused('B', withCookie, 401, 'UNAUTHORIZED', 'a cookie');
        for (const type of [
          'text/plain',
          'application/x-www-form-urlencoded',
          'multipart/form-data; boundary=x',
        ]) {
          const answer = await main.call('POST', path, {
            key: main.decider,
            headers: { ...foreign, 'content-type': type },
            body: '{}',
          });
          expectRefused('B', answer, 415, 'UNSUPPORTED_MEDIA_TYPE', `a body of ${type}`);
        }
        for (const [method, more] of [
          [
            'OPTIONS',
            { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' },
          ],
          ['GET', {}],
        ] as const) {
          const answer = await main.call(method, `/v1/intents/${id}`, {
            key: main.decider,
            headers: { ...foreign, ...more },
          });
          for (const header of ['access-control-allow-origin', 'access-control-allow-credentials'])
            check(
              answer.headers[header] === undefined,
              `${method} is answered with ${header}: ${answer.headers[header]}`,
              answer,
            );
        }
      });
      return undefined;
    },
  },
  {
    id: 'T14-framed',
    title: 'a page inside another page',
    threats: ['14'],
    aisvs: [],
    attack:
      'The approval page and the reference are put into a frame, so that a person clicks without knowing.',
    expected: 'They forbid to be framed, and give their address to nobody.',
    needs: ['agent'],
    async run({ main }) {
      const id = await main.newIntent();
      for (const path of [`/approve/${id}`, '/docs']) {
        const page = await main.call('GET', path);
        const policy = String(page.headers['content-security-policy'] ?? '');
        check(/frame-ancestors 'none'/.test(policy), `${path} may be framed: ${policy}`, page);
        check(/form-action 'none'/.test(policy), `${path} may send forms: ${policy}`, page);
        check(
          String(page.headers['referrer-policy'] ?? '').includes('no-referrer'),
          `${path} tells others its address`,
          page,
        );
        check(page.headers['set-cookie'] === undefined, `${path} sets a cookie`, page);
      }
      return undefined;
    },
  },
];
