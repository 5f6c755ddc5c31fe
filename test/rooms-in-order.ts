/**
 * The rooms of `packages/server/src/gate`: each imports only what stands before it, types included.
 * `test/architecture.test.ts` holds the gate to it, `npm run house` measures by it.
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
  'audit',
  'projects',
  'four-eyes',
  'agents',
  'project-settings',
  'intents',
  'permits',
  'restore',
  'receipts',
  'signing-keys',
  'policy-management',
  'tools',
  'upstreams',
  'erasure',
  'webhooks',
  'notifications',
  'inbox',
  'overview',
];

/** What a room imports of one that comes after it, and why it has to. At most ten. */
export const EXCEPTIONS: readonly { from: string; to: string; why: string }[] = [];
