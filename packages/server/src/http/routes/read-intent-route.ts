import { PresentedId, StrictObject } from '@permitry/protocol/schemas';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type, { type Static } from 'typebox';
import type { IntentView } from '../../gate/intents/intent-view.ts';
import { readIntent } from '../../gate/intents/read.ts';
import { waitUntilResolved } from '../../gate/intents/wait.ts';
import type { GateParts } from '../../open-gate.ts';
import { authenticateAgain } from '../admission/authenticate.ts';
import { getCaller } from '../admission/request-context.ts';
import { hungUpSignal } from '../answers/hung-up.ts';

export const IntentPath = StrictObject({ id: PresentedId });

export const WaitQuery = StrictObject({
  wait: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 60,
      description: 'Seconds to hold the answer until the intent is resolved.',
    }),
  ),
});

type ReadRequest = FastifyRequest<{
  Params: Static<typeof IntentPath>;
  Querystring: Static<typeof WaitQuery>;
}>;

/** Reads one intent, on either surface. `wait` delays the answer until there is something new, or the wait ends. */
export async function readOrWait(
  gate: GateParts,
  request: Pick<ReadRequest, 'params' | 'query'> & FastifyRequest,
  reply: FastifyReply,
): Promise<IntentView> {
  const { id } = request.params;
  const { wait = 0 } = request.query;
  if (wait > 0) {
    const caller = getCaller(request);
    await gate.waitingReads.wait(caller, () =>
      waitUntilResolved(gate, caller, id, wait, hungUpSignal(reply)),
    );
    await authenticateAgain(gate, request);
  }
  return readIntent(gate, getCaller(request), id);
}
