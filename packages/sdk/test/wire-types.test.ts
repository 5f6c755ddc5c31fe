/**
 * The SDK's hand-written types must equal those of the validating schemas. `npm run check:types` checks that. The tests
 * here check that the schemas accept what the types allow.
 */
import type {
  ApproveB,
  CreateIntentB,
  DenyB,
  GatewaySettledA,
  GatewayToolA,
  GatewayUnsettledA,
  IntentB,
  IntentSummaryA,
  OutcomeB,
  ReportOutcomeB,
  RevokedB,
  RevokePermitB,
  StartedProofA,
  SubmittedProofA,
  Verification,
} from '@permitry/protocol/schemas';
import { CreateIntentB as CreateIntentSchema } from '@permitry/protocol/schemas';
import type { Static } from 'typebox';
import Value from 'typebox/value';
import { expect, expectTypeOf, it } from 'vitest';
import type {
  ApproveIntent,
  CreateIntent,
  DenyIntent,
  GatewayAnswer,
  GatewaySettled,
  GatewayTool,
  GatewayUnsettled,
  Intent,
  IntentSummary,
  JsonObject,
  PermitVerification,
  RecordedOutcome,
  ReportOutcome,
  RevokedPermit,
  RevokePermit,
  StartedProof,
  SubmittedProof,
  UsedPermit,
} from '../src/index.ts';

it('the types of requests match the schemas', () => {
  expectTypeOf<CreateIntent>().toEqualTypeOf<Static<typeof CreateIntentB>>();
  expectTypeOf<ApproveIntent>().toEqualTypeOf<Static<typeof ApproveB>>();
  expectTypeOf<DenyIntent>().toEqualTypeOf<Static<typeof DenyB>>();
  expectTypeOf<ReportOutcome>().toEqualTypeOf<Static<typeof ReportOutcomeB>>();
  // The route, not the schema, requires exactly one of the two.
  expectTypeOf<RevokePermit>().toExtend<Static<typeof RevokePermitB>>();
});

it('the types of answers match the schemas', () => {
  expectTypeOf<Intent>().toEqualTypeOf<Static<typeof IntentB>>();
  expectTypeOf<PermitVerification>().toEqualTypeOf<Static<typeof Verification>>();
  expectTypeOf<UsedPermit>().toExtend<Static<typeof Verification>>();
  expectTypeOf<RecordedOutcome>().toEqualTypeOf<Static<typeof OutcomeB>>();
  expectTypeOf<RevokedPermit>().toEqualTypeOf<Static<typeof RevokedB>>();
  expectTypeOf<StartedProof>().toEqualTypeOf<Static<typeof StartedProofA>>();
  expectTypeOf<SubmittedProof>().toEqualTypeOf<Static<typeof SubmittedProofA>>();
});

it('the types of gateway answers match the schemas', () => {
  expectTypeOf<GatewayTool>().toEqualTypeOf<Static<typeof GatewayToolA>>();
  expectTypeOf<GatewaySettled>().toEqualTypeOf<Static<typeof GatewaySettledA>>();
  expectTypeOf<GatewayUnsettled>().toEqualTypeOf<Static<typeof GatewayUnsettledA>>();
  expectTypeOf<GatewayAnswer>().toEqualTypeOf<GatewaySettled | GatewayUnsettled>();
});

it('a list has surface A’s summaries, with surface B’s name for the parameters', () => {
  type Summary = Static<typeof IntentSummaryA>;
  expectTypeOf<Omit<IntentSummary, 'params'>>().toEqualTypeOf<Omit<Summary, 'context'>>();
  expectTypeOf<IntentSummary['params']>().toEqualTypeOf<JsonObject>();
});

it('the schema accepts an intent with every member', () => {
  const whole: Required<CreateIntent> = {
    action: 'refund',
    params: { amount: 1 },
    metadata: {},
    source: 'bot',
    source_type: 'ai_agent',
    risk_tier: 'low',
    proof_tier: 'none',
    approvers: ['role:approver'],
    min_approvals: 1,
    expires_in: 60,
  };
  expect([...Value.Errors(CreateIntentSchema, whole)]).toEqual([]);
  expect(Value.Check(CreateIntentSchema, { ...whole, max_amount: 1 })).toBe(false);
});
