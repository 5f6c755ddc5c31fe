/** Threat 24: if other systems fold an address into a member's address, the gate still treats the two as different. */
import type { CatalogueEntry } from '../attack-case.ts';
import { check, expectStatus } from '../range/expect.ts';

/** ASCII letters, and characters that Unicode folds into them. */
const PASSES_FOR: readonly (readonly [plain: string, other: string])[] = [
  ['k', '\u212a'],
  ['s', '\u017f'],
  ['a', '\uff41'],
  ['@', '\uff20'],
  ['.', '\uff0e'],
];

export const LOOK_ALIKE_ADDRESSES: readonly CatalogueEntry[] = [
  {
    id: 'T24-folded-address',
    title: 'an address that folds into somebody else’s',
    threats: ['24'],
    aisvs: [],
    attack:
      'Somebody signs in under a member’s address in which one letter is the Kelvin sign, a long s or a full-width one.',
    expected: '401 with the right password too, and no cookie: to the gate it is another address.',
    needs: ['agent', 'observer', 'somebody who signs in'],
    async run({ main }) {
      const { origin } = main;
      const { email = '', password } = main.findSignIn ?? {};
      const spelled = PASSES_FOR.filter(([plain]) => email.includes(plain)).map(([plain, other]) =>
        email.replace(plain, other),
      );
      await main.unchanged('signing in under look-alikes', { whole: false }, async () => {
        for (const other of spelled) {
          const body = { email: other, password };
          const answer = await main.call('POST', '/console/sign-in', { headers: { origin }, body });
          expectStatus(answer, 401, `signing in as ${other}`);
          check(answer.headers['set-cookie'] === undefined, 'it set a cookie', answer);
        }
      });
      return `${spelled.length} spellings of one address`;
    },
  },
  {
    id: 'T24-id-token',
    title: 'an ID token that its provider did not sign',
    threats: ['24'],
    aisvs: [],
    attack:
      'A provider, or somebody between it and the gate, hands out an ID token with a wrong signature or an empty subject.',
    expected: 'Nobody is signed in.',
    why: 'takes a gate that was started with the attacker as its OpenID provider (PERMITRY_OIDC_FILE), which no credential sets over HTTP; the tests run a real provider that forges; see docs/security.md',
  },
];
