/** Wire schemas of both surfaces: JSON Schema that validates, types and documents at once. */
export * from './common.ts';
export * from './console/inbox.ts';
export * from './console/invitations.ts';
export * from './console/overview.ts';
export * from './console/projects.ts';
export * from './console/intent.ts';
export * from './console/passkeys.ts';
export * from './console/session.ts';
export * from './erasure.ts';
export * from './introspection.ts';
export * from './management.ts';
export * from './policy.ts';
export * from './receipt.ts';
export * from './simulation.ts';
export * from './status-list.ts';
export * from './surface-a.ts';
export * from './surface-b.ts';
