import { severalGates } from './several-gates.ts';
import { inShort } from './short-form.ts';

/** Nine processes: they take long to start where there are others beside them. */
const LIMIT_MS = 300_000;

inShort(severalGates, LIMIT_MS);
