/** How a program is paired with a person: its request (RFC 8628), and what the person's page receives about it. */
import Type from 'typebox';
import { Id, Nullable, StrictObject, Timestamp, WITHOUT_NUL } from './forms.ts';

const PAIRING_PURPOSES = ['token', 'device_key'] as const;
const PairingRights = Type.Array(Type.Enum(['decide']), {
  maxItems: 1,
  description: 'What the token may do beyond reading.',
});

export const DeviceKeyJwkSchema = StrictObject(
  {
    kty: Type.Literal('EC'),
    crv: Type.Literal('P-256'),
    x: Type.String({ pattern: '^[A-Za-z0-9_-]{43}$' }),
    y: Type.String({ pattern: '^[A-Za-z0-9_-]{43}$' }),
  },
  { title: 'Public key of a device', description: 'JWK (RFC 7517): ES256 on P-256.' },
);

export const StartPairing = StrictObject(
  {
    purpose: Type.Enum([...PAIRING_PURPOSES], {
      description:
        'token: the program gets an access token of the person. device_key: a key that the program made becomes a device key of the person.',
    }),
    name: Type.String({
      minLength: 1,
      maxLength: 200,
      pattern: WITHOUT_NUL,
      description: 'The program’s name for itself or its machine. The person reads it.',
      examples: ['permitry on laptop-7'],
    }),
    rights: Type.Optional(PairingRights),
    expires_in: Type.Optional(
      Type.Integer({
        minimum: 60,
        maximum: 7_776_000,
        description:
          'Lifetime of the token in seconds. Default 30 days, at most 90 days. With the right to decide: default and maximum 12 hours.',
      }),
    ),
    public_key: Type.Optional(DeviceKeyJwkSchema),
  },
  {
    title: 'New pairing',
    examples: [{ purpose: 'token', name: 'permitry on laptop-7', rights: ['decide'] }],
  },
);

export const StartedPairing = StrictObject(
  {
    device_code: Type.String({
      description: 'The secret that the program polls with; valid for ten minutes.',
    }),
    user_code: Type.String({
      description: 'The code that the person types or compares.',
      examples: ['WDJB-MJHT'],
    }),
    verification_uri: Type.String({ description: 'The page on which the person types the code.' }),
    verification_uri_complete: Type.String({ description: 'The same page with the code filled in.' }),
    expires_in: Type.Integer({ description: 'Seconds.' }),
    interval: Type.Integer({ description: 'Seconds to wait between two polls.' }),
  },
  { title: 'Pairing' },
);

export const PollPairing = StrictObject({ device_code: Type.String({ minLength: 1, maxLength: 64 }) });

export const PolledPairing = StrictObject(
  {
    status: Type.Enum(['pending', 'slow_down', 'approved', 'denied', 'expired'], {
      description:
        'pending: poll again after the interval. slow_down: the same, and the interval has grown. expired: also for a pairing that never existed, or whose token was already returned.',
    }),
    interval: Type.Optional(Type.Integer({ description: 'Seconds, while nobody answered.' })),
    token: Type.Optional(Type.String({ description: 'The access token; shown once.' })),
    email: Type.Optional(Type.String({ description: 'Whose it is.' })),
    rights: Type.Optional(PairingRights),
    expires_at: Type.Optional(Type.String({ description: 'When the token expires.' })),
    device_key_id: Type.Optional(Id('dvk', 'The key, as the account page lists it.')),
  },
  { title: 'Answer to a pairing' },
);

const UserCode = Type.String({ minLength: 1, maxLength: 32 });

export const PreviewPairing = StrictObject({ user_code: UserCode });

export const PairingPreview = StrictObject({
  id: Type.String(),
  user_code: Type.String(),
  purpose: Type.Enum([...PAIRING_PURPOSES]),
  name: Type.String(),
  rights: PairingRights,
  lifetime_seconds: Nullable(Type.Integer()),
  /** Thumbprint of a device key. */
  key_id: Nullable(Type.String()),
  address: Nullable(Type.String()),
  /** Whether the program's request came from the network where the person is now. */
  same_network: Type.Boolean(),
  created_at: Timestamp,
  expires_at: Timestamp,
});

export const AnswerPairing = StrictObject({
  id: Type.String({ maxLength: 64 }),
  user_code: UserCode,
  decision: Type.Enum(['approve', 'deny']),
});

export const AnsweredPairing = StrictObject({ status: Type.Enum(['approved', 'denied']) });
