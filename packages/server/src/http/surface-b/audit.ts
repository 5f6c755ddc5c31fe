import {
  AuditExportHeaderSchema,
  AuditRecordSchema,
  AuditVerificationSchema,
  Page,
  StrictObject,
} from '@permitry/protocol/schemas';
import Type, { type Static } from 'typebox';
import { exportAudit } from '../../gate/audit/export-audit.ts';
import { readAudit } from '../../gate/audit/read-audit.ts';
import { toAuditRecord } from '../../gate/audit/to-audit-record.ts';
import { verifyAudit } from '../../gate/audit/verify-audit.ts';
import { onlyGiven } from '../../gate/kernel/only-given.ts';
import { getCaller } from '../admission/request-context.ts';
import { answerInPieces, NDJSON } from '../answers/answer-in-lines.ts';
import { PAGE_QUERY, toPageRequest, toWirePage } from '../routes/paging.ts';
import { ItemPath } from '../routes/route-schemas.ts';
import type { GateApp, RouteTools } from '../routes/surface.ts';
import { EventTypesFilter, toEventTypes } from './event-types.ts';

const TAGS = ['Surface B: audit'];

export function auditRoutes(app: GateApp, { gate }: RouteTools): void {
  app.get(
    '/projects/:id/audit',
    {
      schema: {
        operationId: 'readAudit',
        summary: 'Read the audit log of intents and approvals of a project',
        description:
          'Returns all events sealed so far, newest first unless `order=asc`. Filters combine with AND. `type` may be repeated or hold several types with commas, and accepts groups such as `intent.*`.',
        tags: TAGS,
        params: ItemPath,
        querystring: StrictObject({
          type: Type.Optional(EventTypesFilter),
          intent_id: Type.Optional(Type.String({ maxLength: 64 })),
          actor: Type.Optional(
            Type.String({
              maxLength: 254,
              description: 'ID of the actor, or the name or email address under which it is shown.',
            }),
          ),
          from: Type.Optional(Type.String({ maxLength: 40, description: 'Inclusive; ISO 8601.' })),
          to: Type.Optional(Type.String({ maxLength: 40, description: 'Exclusive; ISO 8601.' })),
          order: Type.Optional(Type.Enum(['asc', 'desc'])),
          ...PAGE_QUERY,
        }),
        response: { 200: Page(AuditRecordSchema) },
      },
    },
    async (request) => {
      const { type, intent_id: intentId, actor, from, to, order, ...page } = request.query;
      const found = await readAudit(gate, getCaller(request), {
        projectId: request.params.id,
        ...toPageRequest(page),
        ...(type === undefined ? {} : { types: toEventTypes(type) }),
        ...onlyGiven({ intentId, actor, from, to, order }),
      });
      return toWirePage(found, toAuditRecord);
    },
  );

  app.get(
    '/projects/:id/audit/verify',
    {
      schema: {
        operationId: 'verifyAudit',
        summary: 'Recompute the whole hash chain and name the first event that does not match',
        tags: TAGS,
        params: ItemPath,
        response: { 200: AuditVerificationSchema },
      },
    },
    async (request): Promise<Static<typeof AuditVerificationSchema>> => {
      const verdict = await verifyAudit(gate, getCaller(request), request.params.id);
      const { head, firstBad } = verdict;
      return {
        valid: verdict.valid,
        count: verdict.count,
        sealed_through: verdict.sealedThrough,
        unsealed: verdict.unsealed,
        head: head && { seq: head.seq, hash: head.hash, sealed_at: head.sealedAt, jws: head.jws },
        ...(firstBad ? { first_bad: firstBad } : {}),
      };
    },
  );

  app.get(
    '/projects/:id/audit/export',
    {
      schema: {
        operationId: 'exportAudit',
        summary: 'Export the audit log as a file',
        description:
          'The format that `permitry audit export` writes and `permitry audit verify` reads: JSON Lines. The first line is a header with the signed head and the keys that verify it. Every event up to that head follows, oldest first. An incomplete export does not verify. With `from` or `to` it is a part of the log: its header has the hash of the event before it, and the signed head only if the part ends at it.',
        tags: TAGS,
        params: ItemPath,
        querystring: StrictObject({
          from: Type.Optional(
            Type.String({ maxLength: 40, description: 'Inclusive: the `seq` of an event, or ISO 8601.' }),
          ),
          to: Type.Optional(
            Type.String({ maxLength: 40, description: 'Exclusive: the `seq` of an event, or ISO 8601.' }),
          ),
        }),
        response: {
          200: {
            description: 'The audit log',
            content: { [NDJSON]: { schema: Type.Union([AuditExportHeaderSchema, AuditRecordSchema]) } },
          },
        },
      },
    },
    async (request, reply) => {
      const projectId = request.params.id;
      const lines = await exportAudit(gate, getCaller(request), projectId, request.query);
      const day = gate.clock.now().slice(0, 10);
      reply.header('content-disposition', `attachment; filename="audit-${projectId}-${day}.jsonl"`);
      return answerInPieces(reply, lines);
    },
  );
}
