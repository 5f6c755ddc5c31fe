import { EmptyBody, MyToken, Page, StrictObject } from '@permitry/protocol/schemas';
import type { Static } from 'typebox';
import { listOwnTokens } from '../../people/keys/list-user-tokens.ts';
import type { KeyRecord } from '../../people/keys/mint-key.ts';
import { revokeUserToken } from '../../people/keys/user-token.ts';
import { PAGE_QUERY, toPageRequest, toWirePage } from '../routes/paging.ts';
import { PathId } from '../routes/route-schemas.ts';
import type { GateApp } from '../routes/surface.ts';
import type { ConsoleTools } from './console-tools.ts';
import { getPerson } from './get-person.ts';

const TokenPath = StrictObject({ key_id: PathId });

export function tokenRoutes(app: GateApp, { gate }: ConsoleTools): void {
  app.get(
    '/account/tokens',
    { schema: { querystring: StrictObject(PAGE_QUERY), response: { 200: Page(MyToken) } } },
    async (request) =>
      toWirePage(await listOwnTokens(gate, getPerson(request), toPageRequest(request.query)), toWireToken),
  );

  app.post(
    '/account/tokens/:key_id/revoke',
    { schema: { params: TokenPath, body: EmptyBody, response: { 200: MyToken } } },
    async (request) =>
      toWireToken(await revokeUserToken(gate, getPerson(request), { keyId: request.params.key_id })),
  );
}

function toWireToken(token: KeyRecord): Static<typeof MyToken> {
  return {
    id: token.id,
    name: token.name,
    hint: token.hint,
    rights: [...token.rights],
    created_at: token.createdAt,
    expires_at: token.expiresAt,
    revoked_at: token.revokedAt,
    last_used_at: token.lastUsedAt,
  };
}
