/** Threat 14: what a stolen cookie or token, or a guess, can make of the pairing by which a program becomes a person's. */
import { randomBytes } from 'node:crypto';
import type { AttackCase } from '../attack-case.ts';
import { makeDeviceKey } from '../device-key.ts';
import { check, expectDone, expectRefused, expectStatus } from '../range/expect.ts';
import type { Answer } from '../range/http-client.ts';

const GUESSES = 8;

interface Begun {
  device_code: string;
  user_code: string;
  verification_uri: string;
}

export const PAIRED_PROGRAMS: readonly AttackCase[] = [
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
      const headers = await main.signIn(new URL(begun[0]?.verification_uri ?? '').origin);
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
      // At once, so that a slow gate gives nobody the pause it asks for.
      const guesses = await Promise.all(
        Array.from({ length: GUESSES }, () => look('BBBB-BBBB', { headers, impatient: true })),
      );
      for (const guessed of guesses) expectStatus(guessed, [404, 429], 'a guessed code');
      check(
        guesses.some(({ status }) => status === 429),
        `${GUESSES} codes may be guessed at once`,
      );
      return undefined;
    },
  },
];
