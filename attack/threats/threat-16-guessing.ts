/**
 * Threat 16: guessing keys reveals nothing and is limited, and a caller with too many requests does not block others.
 */
import { randomBytes } from 'node:crypto';
import { formatApiKey } from '@permitry/protocol';
import type { CatalogueEntry } from '../attack-case.ts';
import { check, expectAlike, expectDone, expectRefused, expectStatus } from '../range/expect.ts';
import type { Stage } from '../range/stage.ts';

/** By their defect. None of them opens anything. */
function badKeys({ keys, mode }: Stage): readonly (readonly [string, string])[] {
  const good = keys.agent_key ?? keys.secret_key ?? '';
  const last = good.at(-1) === 'a' ? 'b' : 'a';
  const otherMode = mode === 'live' ? 'test' : 'live';
  return [
    ['an unknown key', formatApiKey('secret', mode, randomBytes(32))],
    ['an unknown key of another kind', formatApiKey('agent', mode, randomBytes(32))],
    ['an unknown key of another mode', formatApiKey('secret', otherMode, randomBytes(32))],
    ['an unknown user token', formatApiKey('user', null, randomBytes(32))],
    ['a good key with another checksum', good.slice(0, -1) + last],
    ['a good key with a character more', `${good}0`],
    ['a good key with a character less', good.slice(0, -1)],
    ['a good key in capitals', good.toUpperCase()],
    ['a good key named as another kind', good.replace(/prm_(agent|secret)/, 'prm_verify')],
    ['no key at all', 'hunter2'],
    ['the last four letters of a good key', good.slice(-4)],
  ];
}

/** The gate allows an address a hundred wrong keys a minute. */
const SAMPLES = 15;

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}

export const GUESSING: readonly CatalogueEntry[] = [
  {
    id: 'T16-same-words',
    title: 'what a refusal tells about a wrong key',
    threats: ['16'],
    aisvs: ['9.4.1'],
    attack:
      'Eleven kinds of bad key are tried, near and far from a good one; a revoked key as well, where one can be made.',
    expected: '401 for each, in the same words, with the same headers.',
    needs: ['agent'],
    async run({ main }) {
      const bad = [...badKeys(main)];
      if (main.canManage) {
        const { id, key } = await main.newKey({ kind: 'verify' });
        expectDone(await main.manage('POST', `/keys/${id}/revoke`, {}), 'revoking a key');
        bad.push(['a revoked key', key]);
      }
      for (const path of ['/api/intents', `${main.root}/keys`]) {
        const [, firstKey = ''] = bad[0] ?? [];
        const first = await main.call('GET', path, { key: firstKey });
        expectStatus(first, 401, 'an unknown key');
        for (const [what, key] of bad.slice(1))
          expectAlike(await main.call('GET', path, { key }), first, `${what} and an unknown one`);
      }
      return `${bad.length} kinds of bad key`;
    },
  },
  {
    id: 'T16-response-time',
    title: 'what the time of a refusal tells',
    threats: ['16'],
    aisvs: [],
    attack: 'Refusals are timed: of an unknown key, and of a good one with its last character changed.',
    expected:
      'Reported only: whether the medians can be told apart is for people to judge, on a quiet network.',
    needs: ['agent'],
    measures: true,
    async run({ main }) {
      const [near = ''] = badKeys(main)
        .filter(([what]) => what.includes('checksum'))
        .map(([, key]) => key);
      const times: Record<'unknown' | 'near', number[]> = { unknown: [], near: [] };
      for (let i = 0; i < SAMPLES; i += 1) {
        // The two kinds alternate, so that a slow moment affects both.
        for (const [kind, key] of [
          ['unknown', formatApiKey('agent', main.mode, randomBytes(32))],
          ['near', near],
        ] as const) {
          const answer = await main.call('GET', '/v1/intents/int_none', { key });
          expectStatus(answer, 401, 'a bad key');
          times[kind].push(answer.milliseconds);
        }
      }
      const spread = (numbers: readonly number[]) =>
        median(numbers.map((number) => Math.abs(number - median(numbers))));
      return `median of ${SAMPLES}: unknown ${median(times.unknown).toFixed(2)} ms (±${spread(times.unknown).toFixed(2)}), near ${median(times.near).toFixed(2)} ms (±${spread(times.near).toFixed(2)})`;
    },
  },
  {
    id: 'T16-runaway-agent',
    title: 'a runaway agent',
    threats: ['16', '11'],
    aisvs: ['9.1.1', '9.6.3'],
    attack:
      'An agent whose key may ask five times a minute asks forty times at once, while an executor checks a permit.',
    expected: 'Five are answered, the rest is 429 with Retry-After; the executor is served.',
    needs: ['manager', 'verifier'],
    async run({ main, client }) {
      const agent = await main.newAgent();
      const { key } = await main.newKey({ kind: 'agent', agent_id: agent.id, rate_limit_per_minute: 5 });
      await client.warmUp(40);
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, i) =>
          client.call('GET', i % 2 === 0 ? '/api/intents' : '/v1/intents/int_none', { key, impatient: true }),
        ),
      );
      const refused = answers.filter(({ status }) => status === 429);
      // The minute may end in between.
      check(refused.length >= 30 && refused.length <= 35, `${refused.length} of 40 were refused`, answers[0]);
      for (const answer of refused)
        check(Number(answer.headers['retry-after']) > 0, 'a 429 does not say when to come back', answer);
      const checked = await main.surfaces[1].verify(main.verifierKey, { token: 'x' });
      expectStatus(checked, 400, 'an executor meanwhile');
    },
  },
  {
    id: 'T16-guess-limit',
    title: 'guessing without end',
    threats: ['16'],
    aisvs: [],
    attack:
      'Hundreds of keys are tried from one address, which calls itself by other names in X-Forwarded-For.',
    expected:
      '429 after about a hundred in a minute; whoever holds a good key goes on. (Not where the gate was told to trust that header from here.)',
    needs: ['agent'],
    when: 'last',
    async run({ main }) {
      const names: Record<string, string>[] = [
        {},
        { 'x-forwarded-for': '203.0.113.9' },
        { forwarded: 'for=203.0.113.9' },
        { 'x-real-ip': '203.0.113.9' },
      ];
      let tried = 0;
      let refused = 0;
      // Twice the limit, because the minute may end in between.
      while (tried < 260 && refused < names.length) {
        const headers = names[tried % names.length] ?? {};
        const key = formatApiKey('secret', main.mode, randomBytes(32));
        const answer = await main.call('GET', '/api/intents', { key, headers, impatient: true });
        if (answer.status === 429) refused += 1;
        else expectRefused('A', answer, 401, 'UNAUTHORIZED', 'a guessed key');
        tried += 1;
      }
      check(refused === names.length, `${tried} keys were tried in a row, and ${refused} refused`);
      expectDone(
        await main.call('GET', '/api/intents', { key: main.agentKey }),
        'a good key from the same address',
      );
      return `held up after ${tried - refused} more guesses of this minute`;
    },
  },
];
