import {
  CheckPolicy,
  ExplainPolicy,
  PolicyCheckSchema,
  PolicyExplanationSchema,
} from '@permitry/protocol/schemas';
import type { Static } from 'typebox';
import { invalidFields } from '../../gate/kernel/invalid-fields.ts';
import { checkPolicy, type PolicyFinding } from '../../gate/policy-management/check-policy.ts';
import type { RuleExplanation } from '../../gate/policy-management/explanation/explain-outcome.ts';
import {
  explainPolicy,
  type PolicyExplanation,
} from '../../gate/policy-management/explanation/explain-policy.ts';
import { getCaller } from '../admission/request-context.ts';
import { ItemPath } from '../routes/route-schemas.ts';
import type { GateApp, RouteTools } from '../routes/surface.ts';
import { toGivenIntent } from '../wire/to-given-intent.ts';
import { toWireOutcome } from './to-wire-simulation.ts';

const tags = ['Surface B: policies'];

export function policyCheckRoutes(app: GateApp, { gate }: RouteTools): void {
  app.post(
    '/projects/:id/policies/check',
    {
      schema: {
        operationId: 'checkPolicy',
        summary: 'Check whether a policy document could be published',
        description:
          'Uses the code that would publish it. Every problem has its path, and in an expression its line and column. Nothing is changed or recorded. This needs an admin or an admin’s secret key; a read-only token is enough.',
        tags,
        params: ItemPath,
        body: CheckPolicy,
        response: { 200: PolicyCheckSchema },
      },
    },
    async (request) => {
      const input = { projectId: request.params.id, document: request.body.policy };
      const { hash, problems, warnings } = await checkPolicy(gate, getCaller(request), input);
      return {
        valid: hash !== null,
        hash,
        problems: problems.map(toWireFinding),
        warnings: warnings.map(toWireFinding),
      };
    },
  );

  app.post(
    '/projects/:id/policies/explain',
    {
      schema: {
        operationId: 'explainPolicy',
        summary: 'Explain, rule by rule, what a policy says about one intent',
        description:
          'Explains a sample intent, or a stored intent at the time of its creation, with its agent as registered now. Nothing is changed or recorded.',
        tags,
        params: ItemPath,
        body: ExplainPolicy,
        response: { 200: PolicyExplanationSchema },
      },
    },
    async (request) => {
      const { policy, intent, intent_id: intentId } = request.body;
      if ((intent === undefined) === (intentId === undefined)) {
        throw invalidFields({ path: '', message: 'Give either intent or intent_id.' });
      }
      const explanation = await explainPolicy(gate, getCaller(request), {
        projectId: request.params.id,
        ...(policy === undefined ? {} : { document: policy }),
        about: intent ? { given: toGivenIntent(intent) } : { intentId: intentId ?? '' },
      });
      return toWireExplanation(explanation);
    },
  );
}

function toWireFinding({ path, message, place }: PolicyFinding) {
  return { path, message, place: place && { line: place.line, column: place.column } };
}

function toWireExplanation({
  policyHash,
  request,
  outcome,
  rules,
  personFor,
}: PolicyExplanation): Static<typeof PolicyExplanationSchema> {
  const { agent } = request;
  return {
    policy_hash: policyHash,
    request: {
      action: request.action,
      params: request.params,
      metadata: request.metadata,
      source: request.source,
      source_type: request.sourceType,
      risk_tier: request.riskTier,
      proof_tier: request.proofTier,
      agent: agent && { id: agent.id, name: agent.name },
      at: request.now,
    },
    outcome: toWireOutcome(outcome),
    rules: rules.map(toWireRule),
    person_for: personFor,
  };
}

function toWireRule({ rule, effect, verdict, part }: RuleExplanation) {
  return {
    rule,
    effect,
    verdict: verdict.kind,
    because: verdict.kind === 'not_matched' ? verdict.because : null,
    failure: verdict.kind === 'failed' ? verdict.message : null,
    part,
  };
}
