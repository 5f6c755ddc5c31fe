import type { OperatorCaller } from '@permitry/server';

/** Whoever can open the data directory. Not their login name: the ledger could never forget it. */
export const OPERATOR: OperatorCaller = { kind: 'operator', credentialId: 'operator', display: 'operator' };
