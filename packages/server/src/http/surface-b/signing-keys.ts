import {
  Page as PageSchema,
  SignedApprovalSchema,
  SigningKeySchema,
  StrictObject,
} from '@permitry/protocol/schemas';
import Type, { type Static } from 'typebox';
import type { SigningKey } from '../../gate/kernel/signing-key.ts';
import { listSignedBy, type SignedApproval } from '../../gate/signing-keys/list-signed-by.ts';
import { listSigningKeys } from '../../gate/signing-keys/read-signing-keys.ts';
import { getCaller } from '../admission/request-context.ts';
import { PAGE_QUERY, toPageRequest, toWirePage } from '../routes/paging.ts';
import { ItemPath } from '../routes/route-schemas.ts';
import type { GateApp, RouteTools } from '../routes/surface.ts';

const TAGS = ['Surface B: project'];

export function signingKeyRoutes(app: GateApp, { gate }: RouteTools): void {
  app.get(
    '/projects/:id/signing-keys',
    {
      schema: {
        operationId: 'listSigningKeys',
        summary: 'List the keys that permits, receipts and audit heads are signed with',
        description:
          'Newest first, all on one page. A `next` key is published but does not sign yet. A `retired` key still verifies. A `compromised` key is neither published nor accepted.',
        tags: TAGS,
        params: ItemPath,
        response: { 200: PageSchema(SigningKeySchema) },
      },
    },
    async (request) => {
      const keys = listSigningKeys(gate, getCaller(request), { projectId: request.params.id });
      return toWirePage({ items: keys, nextCursor: null }, toWireKey);
    },
  );

  app.get(
    '/projects/:id/signing-keys/receipts',
    {
      schema: {
        operationId: 'listSignedByKey',
        summary: 'List the receipts and unused permits that compromised keys signed',
        description:
          'The receipts are revoked, and the permits are refused as `unknown_key`. Newest first. The approvals are filtered, so a page may have fewer than `limit` entries, even none, while `next_cursor` is set.',
        tags: TAGS,
        params: ItemPath,
        querystring: StrictObject({
          kid: Type.Optional(
            Type.String({ maxLength: 64, description: 'Only what this key signed, whatever its state.' }),
          ),
          ...PAGE_QUERY,
        }),
        response: { 200: PageSchema(SignedApprovalSchema) },
      },
    },
    async (request) => {
      const { kid, ...page } = request.query;
      const found = await listSignedBy(gate, getCaller(request), {
        projectId: request.params.id,
        ...(kid === undefined ? {} : { kid }),
        ...toPageRequest(page),
      });
      return toWirePage(found, toWireSigned);
    },
  );
}

function toWireKey(key: SigningKey): Static<typeof SigningKeySchema> {
  return {
    kid: key.kid,
    state: key.state,
    created_at: key.createdAt,
    activated_at: key.activatedAt,
    retired_at: key.retiredAt,
    compromised_at: key.compromisedAt,
  };
}

function toWireSigned({
  intent,
  receipt,
  unusedPermit,
}: SignedApproval): Static<typeof SignedApprovalSchema> {
  return {
    intent_id: intent.id,
    action: intent.action,
    approved_by: intent.approvedBy,
    approved_at: intent.approvedAt,
    consumed_at: intent.consumedAt,
    receipt: receipt && {
      receipt_id: receipt.receipt_id,
      revocation_status: receipt.revocation_status,
      receipt_expires_at: receipt.receipt_expires_at,
    },
    unused_permit: unusedPermit && { id: unusedPermit.id, expires_at: unusedPermit.expiresAt },
  };
}
