/** The API types of protected tools (surface A, `/api/mcp-gateway`). */
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
  /** JSON Schema of the result, if the tool declares one. */
  output_schema: JsonObject | null;
  /** Hints of the Model Context Protocol, such as `destructiveHint`. */
  annotations: JsonObject;
}

/** A call of a protected tool. */
export interface GatewayCall<P extends object = JsonObject> {
  tool: string;
  arguments: P;
  /** A permit of an approved intent for exactly this tool and these arguments. */
  permit_token?: string;
  source?: string;
  source_type?: SourceType;
  risk_tier?: RiskTier;
  proof_tier?: ProofTier;
}

/** A call that ran, and never runs again. */
export interface GatewaySettled {
  /** `executed`: the tool succeeded. `failed`: the tool reported a failure. `unknown`: the outcome is unknown. */
  status: 'executed' | 'failed' | 'unknown';
  /** `crq_…` */
  connector_request_id: string;
  intent_id: string;
  /** The tool's own result. Null when it returned none, or the result was erased or larger than 1 MiB. */
  result: JsonObject | null;
  /** A message to show beside a result, or instead of one. */
  message: string | null;
  receipt_v2: Receipt | null;
}

/** A call that has no result yet. Resume it with `gateway.resume`. */
export interface GatewayUnsettled {
  /** `pending`: the call needs approval. `executing`: it is running. */
  status: 'pending' | 'executing';
  /** `crq_…` */
  connector_request_id: string;
  intent_id: string;
  /** Where a person reviews and decides the call. */
  approval_url: string;
  /** When the intent expires without a decision. */
  expires_at: string;
}

/** The result of a call, by `status`. */
export type GatewayAnswer = GatewaySettled | GatewayUnsettled;
