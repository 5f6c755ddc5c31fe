/** Threat 14: no page, link, cookie or stolen session decides for a person. */

import { randomBytes } from 'node:crypto';
import type { CatalogueEntry } from '../attack-case.ts';
import { makeDeviceKey } from '../device-key.ts';
import { check, expectDone, expectRefused, expectStatus } from '../range/expect.ts';
import type { Answer } from '../range/http-client.ts';
import { fillPath } from '../range/operations.ts';
import { surfaceOf } from '../range/surfaces.ts';
import { NOBODYS } from '../tables/nobodys-things.ts';
import { SOUND_BODIES } from '../tables/sound-bodies.ts';

/** The headers that a browser sends from a foreign page. The gate's own origin is `own`. */
function foreignTo(own: string): readonly Readonly<Record<string, string>>[] {
  const { host, hostname, protocol } = new URL(own);
  const otherScheme = protocol === 'https:' ? 'http:' : 'https:';
  return [
    { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    { origin: `https://${host}.evil.example` },
    { origin: `${otherScheme}//${host}` },
    { origin: `${protocol}//${hostname}:4001`, 'sec-fetch-site': 'same-site' },
    { origin: 'null' },
    { origin: '' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
    {},
  ];
}

/** A session's token in places where it does not belong. */
const misplaced = (token: string): readonly Record<string, string>[] => [
  { cookie: `permitry_session=${token}` },
  { cookie: `__Secure-permitry_session=${token}` },
  { cookie: `__host-permitry_session=${token}` },
  { cookie: `__Host-permitry_session=${token}x` },
  { cookie: `__Host-permitry_session="${token}` },
  { authorization: `Bearer ${token}` },
  { authorization: `Cookie ${token}` },
  { 'x-session': token },
];

/** Bodies that a form can send. */
const FORMS = [
  'text/plain',
  'text/plain;charset=UTF-8',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
];

/** Routes that change how a person signs in. */
const OF_THE_ACCOUNT = [
  ['POST', 'password', { password: 'seven blue kettles sing' }],
  ['POST', 'totp', {}],
  ['POST', 'recovery-codes', {}],
  ['DELETE', 'totp', undefined],
  ['POST', 'passkeys/options', {}],
  ['DELETE', 'passkeys/pky_none', undefined],
  ['DELETE', 'identities/idn_none', undefined],
] as const;

function expectGuarded(answer: Answer): void {
  const [cookie = ''] = answer.headers['set-cookie'] ?? [];
  for (const attribute of ['HttpOnly', 'Secure', 'SameSite=Strict', 'Path=/'])
    check(cookie.includes(attribute), `the session's cookie is not ${attribute}`, answer);
  check(cookie.startsWith('__Host-'), 'a page of another host may set the cookie', answer);
}

const GUESSES = 8;

interface Begun {
  device_code: string;
  user_code: string;
  verification_uri: string;
}

export const BROWSERS: readonly CatalogueEntry[] = [
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
        for (const type of FORMS) {
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
    },
  },
  {
    id: 'T14-sessions',
    title: 'sessions and cookies of people',
    threats: ['14'],
    aisvs: ['9.2.1'],
    attack:
      'With an approver’s cookie, decisions and sign-ins are sent as from another page; a cookie is planted before a sign-in; a stolen one is used where a passkey is asked for, beside a wrong key, and after the person signed out.',
    expected: '403 from other pages, 401 for a cookie that was planted or signed out, and never an approval.',
    needs: ['agent', 'verifier', 'observer', 'somebody who signs in'],
    async run(range) {
      const { main, clock, inside } = range;
      const id = await main.newIntent();
      const { origin: own } = main;
      const planted = await main.signIn();
      const { email, password } = main.findSignIn ?? {};
      const signedIn = expectDone(
        await main.call('POST', '/console/sign-in', { headers: planted, body: { email, password } }),
        'signing in with a planted cookie',
      );
      expectGuarded(signedIn);
      const [cookie = ''] = signedIn.headers['set-cookie']?.[0]?.split(';') ?? [];
      main.client.secrets.add(cookie.slice(cookie.indexOf('=') + 1), `the session of ${email}`);
      const path = `/v1/intents/${id}/approve`;
      const approve = (headers: Record<string, string>, key?: string) =>
        main.call('POST', path, { headers, key, body: {} });

      await main.unchanged('a session', { intents: [id], whole: false, recorded: true }, async () => {
        expectRefused('B', await approve(planted), 401, 'UNAUTHORIZED', 'the planted cookie');
        for (const headers of foreignTo(own)) {
          const decided = await approve({ cookie, ...headers });
          expectRefused('B', decided, 403, 'FORBIDDEN', 'another page', { required: 'same_origin' });
          const entered = await main.call('POST', '/console/sign-in', { headers, body: { email, password } });
          expectStatus(entered, 403, 'a sign-in from another page');
          check(entered.headers['set-cookie'] === undefined, 'it set a cookie', entered);
        }
        for (const [key, status] of [
          [`${main.decider}x`, 401],
          ['', 401],
          [main.agentKey, 403],
          [main.verifierKey, 403],
        ] as const)
          expectStatus(await approve({ cookie, origin: own }, key), status, 'a cookie beside a key');
      });
      const token = cookie.slice(cookie.indexOf('=') + 1);
      await main.unchanged('a session misplaced', { intents: [id], whole: false }, async () => {
        for (const headers of misplaced(token)) {
          const answer = await main.call('GET', `/api/intents?session=${token}`, { headers });
          expectStatus(answer, [400, 401], `a session as ${Object.keys(headers)}`);
        }
        for (const type of FORMS) {
          const headers = { cookie, origin: own, 'content-type': type };
          for (const to of [path, '/console/sign-in', '/console/account/password']) {
            const answer = await main.call('POST', to, { headers, body: '{}' });
            expectRefused('B', answer, 415, 'UNSUPPORTED_MEDIA_TYPE', `a body of ${type}`);
          }
        }
        for (const to of [
          path,
          '/console/sign-out',
          '/console/sign-in?email=x',
          '/console/account/sessions/end-others',
        ])
          for (const method of ['GET', 'HEAD']) await main.call(method, to, { headers: { cookie } });
      });
      const { body: session } = await main.call('GET', '/console/session', { headers: { cookie } });
      const { email: who } = (session.user ?? {}) as { email?: string };
      check(cookie !== planted.cookie && who === email, `signed in as ${who}`, signedIn);
      // A faulty gate may accept such a request. So the requests name the project only if the run may change it.
      const project = main.mayTouchProject ? main.projectId : NOBODYS.project;
      const parts = { ...NOBODYS, project, intent: id };
      const changing = range.operations.filter(({ method }) => method !== 'GET');
      // From outside, one kind of foreign page is enough, because each kind means many requests.
      for (const headers of foreignTo(own).slice(0, inside ? undefined : 1)) {
        await main.unchanged('a foreign page', { intents: [id], whole: false, recorded: true }, async () => {
          for (const operation of changing.filter(({ isPublic }) => !isPublic)) {
            const options = { headers: { cookie, ...headers }, body: SOUND_BODIES[operation.route] ?? {} };
            const answer = await main.call(operation.method, fillPath(operation, parts), options);
            expectRefused(surfaceOf(operation.pattern), answer, 403, 'FORBIDDEN', operation.route, {
              required: 'same_origin',
            });
          }
        });
        await main.unchanged('a foreign page', { whole: false }, async () => {
          const entering = changing.filter(
            ({ isPublic, pattern }) => isPublic && pattern.startsWith('/console/'),
          );
          check(
            !inside || entering.length > 7,
            `${entering.length} doors of pages are open: too few to be true`,
          );
          for (const { pattern } of entering) {
            const body = { email, password, token: 'x' };
            const answer = await main.call('POST', pattern, { headers, body });
            expectStatus(answer, 403, `POST ${pattern}`);
            check(answer.headers['set-cookie'] === undefined, 'it set a cookie', answer);
          }
        });
      }

      const guarded = await main.newIntent(main.action('session'), {}, { proof_tier: 'passkey' });
      const look = { headers: { cookie, origin: own } };
      const shown = expectDone(await main.call('GET', `/console/intents/${guarded}`, look), 'looking at it');
      const { intent_hash } = shown.body;
      await main.unchanged('a stolen cookie', { intents: [guarded], whole: false }, async () => {
        const to = `/v1/intents/${guarded}/approve`;
        const answer = await main.call('POST', to, { ...look, body: { intent_hash } });
        expectRefused('B', answer, 403, 'PROOF_REQUIRED', 'a stolen cookie where a passkey is asked for');
        const proof = { intent_hash, proof_session_id: 'prf_01hzzzzzzzzzzzzzzzzzzzzzzz' };
        const made = await main.call('POST', to, { ...look, body: proof });
        const { code } = made.body.error as { code: string };
        check(['proof_required', 'invalid_proof'].includes(code), 'a proof that was never given', made);
      });

      const headers = { cookie, origin: own };
      expectDone(await main.call('POST', '/console/sign-out', { headers, body: {} }), 'signing out');
      await main.unchanged('a session that ended', { intents: [id], whole: false }, async () => {
        expectRefused('B', await approve(headers), 401, 'UNAUTHORIZED', 'a cookie that was signed out');
      });
      if (!inside) return undefined;
      const thief = await main.signIn();
      await clock.pass(16 * 60);
      await main.unchanged('becoming the account', { whole: false }, async () => {
        for (const [method, to, body] of OF_THE_ACCOUNT) {
          const answer = await main.call(method, `/console/account/${to}`, { headers: thief, body });
          expectRefused('B', answer, 403, 'PROOF_REQUIRED', `${method} ${to}`);
        }
      });
    },
  },
  {
    id: 'T14-paired-programs',
    title: 'a program or a key made somebody’s',
    threats: ['14'],
    aisvs: ['9.2.1'],
    attack:
      'With a cookie that was just taken, a program that may decide and a device key of the attacker’s are approved; a token tries the same; codes are guessed on both sides.',
    expected:
      '403 until the person has shown once more that it is they; nothing for a token; guesses tell nothing, and are limited.',
    needs: ['decider', 'somebody who signs in'],
    async run({ main }) {
      const begin = async (properties: object): Promise<Begun> => {
        const body = { name: main.name('program'), ...properties };
        const answer = expectDone(await main.call('POST', '/v1/pairings', { body }), 'beginning a pairing');
        return answer.body as unknown as Begun;
      };
      const begun = [
        await begin({ purpose: 'token', rights: ['decide'] }),
        await begin({ purpose: 'device_key', public_key: makeDeviceKey().jwk }),
      ];
      const headers = await main.signIn();
      const poll = (device_code: string): Promise<Answer> =>
        main.call('POST', '/v1/pairings/poll', { body: { device_code } });
      const look = (
        user_code: string,
        as: { headers?: Record<string, string>; key?: string; impatient?: boolean } = { headers },
      ) => main.call('POST', '/console/pairings/look', { ...as, body: { user_code } });

      for (const { user_code, device_code } of begun) {
        const byToken = await look(user_code, { key: main.decider });
        expectRefused('B', byToken, 403, 'FORBIDDEN', 'a token that looks at a pairing');
        const { id } = expectDone(await look(user_code), 'looking at a pairing').body;
        const answer = (decision: string) =>
          main.call('POST', '/console/pairings/confirm', { headers, body: { id, user_code, decision } });
        expectRefused('B', await answer('approve'), 403, 'PROOF_REQUIRED', 'a stolen cookie that approves');
        const polled = await poll(device_code);
        check(polled.body.status === 'pending', 'the program was told something', polled);
        expectDone(await answer('deny'), 'refusing it again');
        const denied = await poll(device_code);
        check(denied.body.token === undefined, 'a program that was refused has a token', denied);
      }

      const made = await poll(randomBytes(32).toString('base64url'));
      check(made.body.status === 'expired', 'a code that was never given out is known', made);
      // All guesses are sent simultaneously, so that a slow gate does not spread them over time.
      const guesses = await Promise.all(
        Array.from({ length: GUESSES }, () => look('BBBB-BBBB', { headers, impatient: true })),
      );
      for (const guessed of guesses) expectStatus(guessed, [404, 429], 'a guessed code');
      check(
        guesses.some(({ status }) => status === 429),
        `${GUESSES} codes may be guessed at once`,
      );
    },
  },
];
