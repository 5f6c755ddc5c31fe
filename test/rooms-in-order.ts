/**
 * The rooms of `packages/server/src/gate`. Each room imports only earlier ones, including types.
 * `test/architecture.test.ts` enforces this order, and `npm run house` measures it.
 */
export const ROOMS_IN_ORDER: readonly string[] = [
  'kernel',
  'leases',
  'heartbeats',
  'installation',
  'access',
  'limits',
  'proof',
  'approvals',
  'policy',
  'tokens',
  'mandates',
  'audit',
  'projects',
  'restore',
  'four-eyes',
  'agents',
  'project-settings',
  'intents',
  'permits',
  'receipts',
  'signing-keys',
  'policy-management',
  'tools',
  'upstreams',
  'outbox',
  'erasure',
  'webhooks',
  'notifications',
  'inbox',
  'overview',
];

/** Imports of a later room, with the reason for each. At most ten. */
export const EXCEPTIONS: readonly { from: string; to: string; why: string }[] = [
  {
    from: 'access',
    to: 'projects',
    why: 'Whoever looks up a caller reads the revision of the project with it, which is a row of projects.',
  },
  { from: 'audit', to: 'projects', why: 'The log is read by project: whether there is one is asked first.' },
  {
    from: 'receipts',
    to: 'erasure',
    why: 'A receipt whose texts were erased is recognised by the hash that erasing kept.',
  },
];
