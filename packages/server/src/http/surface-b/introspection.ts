import { IntrospectB, Introspection } from '@permitry/protocol/schemas';
import type { Static } from 'typebox';
import { introspectPermit } from '../../gate/permits/introspect.ts';
import type { VerifiedPermit } from '../../gate/permits/verify.ts';
import { getCaller } from '../admission/request-context.ts';
import { acceptFormsOnly } from '../body/form-body.ts';
import type { GateApp, RouteTools } from '../routes/surface.ts';

/** Registered in a scope of its own, because no other path accepts forms. */
export function introspectionRoutes(app: GateApp, { gate }: RouteTools): void {
  app.register(async (scope) => {
    acceptFormsOnly(scope);
    (scope as GateApp).post(
      '/permits/introspect',
      {
        schema: {
          operationId: 'introspectPermit',
          summary: 'Introspect a permit (RFC 7662)',
          description:
            'Says whether the permit could be used at this moment, for programs that use OAuth token introspection. The answer for any other token is just `{ "active": false }`. Introspection authorises nothing: to run the action, validate with `consume: true`.',
          tags: ['Surface B: permits'],
          consumes: ['application/x-www-form-urlencoded'],
          body: IntrospectB,
          response: { 200: Introspection },
        },
      },
      async (request) => {
        const found = await introspectPermit(gate, getCaller(request), request.body.token);
        return found ? toActiveToken(found) : { active: false as const };
      },
    );
  });
}

function toActiveToken({ claims, mode }: VerifiedPermit): Static<typeof Introspection> {
  return {
    active: true,
    iss: claims.iss,
    aud: claims.aud,
    sub: claims.sub,
    jti: claims.jti,
    iat: claims.iat,
    nbf: claims.nbf,
    exp: claims.exp,
    txn: claims.txn,
    token_type: 'N_A',
    mode,
    action: claims.action,
    params_hash: claims.params_hash,
    intent_hash: claims.intent_hash,
    policy_hash: claims.policy_hash,
    proof_tier: claims.proof_tier,
    approval: { by: [...claims.approval.by], at: claims.approval.at, method: claims.approval.method },
  };
}
