import {
  ErasedTexts,
  EraseTexts,
  Page,
  StrictObject,
  UnfinishedErasureSchema,
} from '@permitry/protocol/schemas';
import type { Static } from 'typebox';
import type { Caller } from '../../gate/access/caller.ts';
import { eraseIntent } from '../../gate/erasure/erase-intent.ts';
import { listUnfinishedErasures } from '../../gate/erasure/list-unfinished-erasures.ts';
import type { UnfinishedErasure } from '../../gate/erasure/unfinished-erasure.ts';
import { GateError } from '../../gate/kernel/errors.ts';
import type { GateParts } from '../../open-gate.ts';
import { erasePerson } from '../../people/erase-person.ts';
import { getCaller } from '../admission/request-context.ts';
import { PAGE_QUERY, toPageRequest, toWirePage } from '../routes/paging.ts';
import { ItemPath } from '../routes/route-schemas.ts';
import type { GateApp, RouteTools } from '../routes/surface.ts';

export function erasureRoutes(app: GateApp, { gate }: RouteTools): void {
  app.post(
    '/projects/:id/erasures',
    {
      schema: {
        operationId: 'eraseTexts',
        summary: 'Erase personal texts of one intent or of one person',
        description:
          'This cannot be undone. Owners only; in live mode the owner must be present in a browser. For an intent, parameters, metadata, reasons and names are erased; it must be decided, and its permit used, revoked or expired. For a person, intents whose texts name them lose their texts, and elsewhere their ID replaces their address; they must have left the project. Hashes stay, so permits, receipts and the audit chain verify as before. The texts are gone from every answer at once; `files` says whether the files of the database still hold them. Repeating the request is harmless, and finishes an interrupted erasure.',
        tags: ['Surface B: project'],
        params: ItemPath,
        body: EraseTexts,
        response: { 200: ErasedTexts },
      },
    },
    async (request) => erase(gate, getCaller(request), request.params.id, request.body),
  );
  app.get(
    '/projects/:id/erasures',
    {
      schema: {
        operationId: 'listUnfinishedErasures',
        summary: 'List unfinished erasures, newest first',
        description:
          'The texts are gone from every answer, but the database files may still hold them until an operator runs `permitry erase --finish`. There is one entry per intent, one per person, and one for everything that is erased by age.',
        tags: ['Surface B: project'],
        params: ItemPath,
        querystring: StrictObject(PAGE_QUERY),
        response: { 200: Page(UnfinishedErasureSchema) },
      },
    },
    async (request) => {
      const page = await listUnfinishedErasures(gate, getCaller(request), {
        projectId: request.params.id,
        ...toPageRequest(request.query),
      });
      return toWirePage(page, toSurfaceBUnfinishedErasure);
    },
  );
}

async function erase(
  gate: GateParts,
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
  throw new GateError('invalid_fields', 'Name the texts to erase: either intent_id or person.', {
    fields: [{ path: '/intent_id', message: 'either this or person is required, not both' }],
  });
}

function toSurfaceBUnfinishedErasure({
  subject,
  subjectId,
  since,
}: UnfinishedErasure): Static<typeof UnfinishedErasureSchema> {
  return { subject, subject_id: subjectId, since };
}
