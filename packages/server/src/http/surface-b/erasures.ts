import { ErasedTexts, EraseTexts } from '@permitry/protocol/schemas';
import type { Static } from 'typebox';
import type { Caller } from '../../gate/access/caller.ts';
import { eraseIntent } from '../../gate/erasure/erase-intent.ts';
import { erasePerson } from '../../gate/erasure/erase-person.ts';
import { GateError } from '../../gate/errors.ts';
import type { Gate } from '../../gate/gate.ts';
import { getCaller } from '../shared/request-context.ts';
import { ItemPath } from '../shared/route-schemas.ts';
import type { GateApp, RouteTools } from '../shared/surface.ts';

export function erasureRoutes(app: GateApp, { gate }: RouteTools): void {
  app.post(
    '/projects/:id/erasures',
    {
      schema: {
        operationId: 'eraseTexts',
        summary: 'Erase texts about people, of one intent or of one person',
        description:
          'For good. Owners only; in live mode this takes an owner who is present at a browser. Of an intent: parameters, metadata, reasons and names go; it must be decided, and its permit used, revoked or past its time. Of a person: intents whose words name them lose their texts, and elsewhere their id takes the place of their address; they must have left the project. Hashes stay, so permits, receipts and the audit chain verify as before. The texts are gone from every answer at once; `files` says whether the files of the database still hold them. Asking again is harmless, and finishes what was cut short.',
        tags: ['Surface B: project'],
        params: ItemPath,
        body: EraseTexts,
        response: { 200: ErasedTexts },
      },
    },
    async (request) => erase(gate, getCaller(request), request.params.id, request.body),
  );
}

async function erase(
  gate: Gate,
  caller: Caller,
  projectId: string,
  { intent_id: intentId, person }: Static<typeof EraseTexts>,
): Promise<Static<typeof ErasedTexts>> {
  if (intentId !== undefined && person === undefined) {
    const { files, ...erased } = await eraseIntent(gate, caller, { projectId, intentId });
    return { erased, remaining: { intents: 0, policies: 0 }, files };
  }
  if (person !== undefined && intentId === undefined) {
    const { remainingIntents, remainingPolicies, files, ...erased } = await erasePerson(gate, caller, {
      projectId,
      person,
    });
    return { erased, remaining: { intents: remainingIntents, policies: remainingPolicies }, files };
  }
  throw new GateError('invalid_fields', 'Name whose texts are to go: either intent_id or person.', {
    fields: [{ path: '/intent_id', message: 'either this or person is required, not both' }],
  });
}
