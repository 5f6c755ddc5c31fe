/** Protected tools as the gate's wire has them (surface A, `/api/mcp-gateway`). */
import type { JsonObject, ProofTier, Receipt, RiskTier, SourceType } from '@permitry/protocol';

/** A protected tool. */
export interface GatewayTool {
  /** Also the name of the action that a call asks approval for. */
  name: string;
  title: string;
  description: string;
  connector: string;
  risk_tier: RiskTier;
  /** JSON Schema of `arguments`. */
  input_schema: JsonObject;
  /** JSON Schema of the result, where the tool says. */
  output_schema: JsonObject | null;
  /** Hints of the Model Context Protocol, such as `destructiveHint`. */
  annotations: JsonObject;
}

/** A call of a protected tool. */
export interface GatewayCall<P extends object = JsonObject> {
  tool: string;
  arguments: P;
  /** A permit of an approved intent for this very tool and these arguments. */
  permit_token?: string;
  source?: string;
  source_type?: SourceType;
  risk_tier?: RiskTier;
  proof_tier?: ProofTier;
}

/** A call that was run, and is never run again. */
export interface GatewaySettled {
  /** `executed`: the tool did it. `failed`: it says that it did not. `unknown`: nobody knows. */
  status: 'executed' | 'failed' | 'unknown';
  /** `crq_…` */
  connector_request_id: string;
  intent_id: string;
  /** As the tool gave it; null when it gave none, or it was erased or larger than 1 MiB. */
  result: JsonObject | null;
  /** What is to be said beside, or in place of, a result. */
  message: string | null;
  receipt_v2: Receipt | null;
}

/** A call that is not done: come back with `gateway.resume`. */
export interface GatewayUnsettled {
  /** `pending`: people are asked. `executing`: it runs. */
  status: 'pending' | 'executing';
  /** `crq_…` */
  connector_request_id: string;
  intent_id: string;
  /** Where a person reads and decides it. */
  approval_url: string;
  /** When the intent ends, undecided. */
  expires_at: string;
}

/** What came of a call, by `status`. */
export type GatewayAnswer = GatewaySettled | GatewayUnsettled;
