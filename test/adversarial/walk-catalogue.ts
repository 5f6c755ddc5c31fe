/** Turns each case of the catalogue into a test, named by its ID and title: `npx vitest -t T08`. */
import { afterAll, beforeAll, describe, test } from 'vitest';
import { isRunnable } from '../../attack/attack-case.ts';
import { CATALOGUE } from '../../attack/catalogue.ts';
import { missingFor } from '../../attack/range/needs.ts';
import type { ThreatId } from '../../attack/threats.ts';
import { NotProvided, Undefended } from '../../attack/undefended.ts';
import { type OpenRange, openRange } from './open-range.ts';

/** The same process serves other clients too, so these limits allow a pause without making any client late. */
const SHORT_PATIENCE = { arrival: { headersMs: 2500, requestMs: 3000, silentMs: 5000 } };
/** Cases that need what this gate lacks: an MCP server at a private address, and a signing key in a clear file. */
const NOT_HERE = [
  'T08-given-back',
  ...(process.env.PERMITRY_TEST_DATABASE === 'postgres' ? ['T07-resigned'] : []),
];
/** So many approvers race for one vote. */
const APPROVERS = 30;

/** Threats for which a database server may behave differently. */
export const RACING: readonly ThreatId[] = ['4', '5', '8', '8b', '10', '23'];

export function walkCatalogue(threats: readonly ThreatId[]): void {
  for (const threat of threats) describe(`threat ${threat}`, () => tryThreat(threat));
}

function tryThreat(threat: ThreatId): void {
  let arena: OpenRange;
  beforeAll(async () => {
    arena = await openRange({
      ...(threat === '11' ? { deps: SHORT_PATIENCE } : {}),
      ...(threat === '4' ? { approvers: APPROVERS } : {}),
    });
  });
  afterAll(() => arena.close());

  for (const entry of CATALOGUE.filter(({ threats: [first] }) => first === threat)) {
    test(`${entry.id}: ${entry.title}`, async ({ skip }) => {
      if (!isRunnable(entry)) return skip(entry.why);
      const missing = missingFor(entry.needs, arena.range);
      if (missing.length > 0) throw new Error(`takes ${missing.join('; and ')}`);
      await entry.run(arena.range).catch((error: Error) => {
        if (error instanceof NotProvided && NOT_HERE.includes(entry.id)) return skip(error.message);
        if (error instanceof Undefended) error.message += `\n${JSON.stringify(error.exchange, null, 2)}`;
        throw error;
      });
    });
  }
}
