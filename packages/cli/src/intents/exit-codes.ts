import type { IntentStatus } from '@permitry/protocol';

/** How the exit code of `request`, `watch ID` and `run` reports the decision. 1 and 2 mean the same as everywhere. */
export const EXIT_CODES: Record<IntentStatus, number> = { approved: 0, denied: 3, expired: 4, pending: 5 };

/** The end of their help pages. */
export const EXIT_CODES_HELP = `
Exit codes: 0 approved; 3 denied; 4 expired; 5 still pending when the wait
ended; 1 refused for another reason; 2 usage.
`;
