/**
 * Owns the MCP servers behind the gate and the approvals of their tools. An approval pins the server's definition of a
 * tool by its hash. Agents see the pinned definition, and nothing else ever runs.
 */
import type { JsonObject, RiskTier } from '@permitry/protocol';
import type { Instant } from '../kernel/instant.ts';

/** `stdio`: a command on the gate's own machine, which only the operator may register. */
type UpstreamKind = 'http' | 'stdio';

/**
 * How the gate reaches a server. Header and environment values are secrets. An address or an argument may be secret
 * too.
 */
export type UpstreamSettings =
  | { kind: 'http'; url: string; headers: Readonly<Record<string, string>> }
  | {
      kind: 'stdio';
      command: string;
      args: readonly string[];
      env: Readonly<Record<string, string>>;
      /** An absolute path. */
      cwd: string;
    };

/** The server's own information about itself. Inert, and never trusted. */
export interface UpstreamServer {
  name: string;
  version: string;
  /** The agreed protocol revision, e.g. `2025-11-25`. */
  protocol: string;
}

export interface Upstream {
  /** `ups_…`. */
  id: string;
  projectId: string;
  /** Each of its tools is named `<name>.<tool>`. */
  name: string;
  kind: UpstreamKind;
  /** Host of the address, or name of the command. Readers may see it. */
  target: string;
  /** Names of the headers or variables whose values are sealed. */
  secretNames: readonly string[];
  /** `UpstreamSettings`, sealed. */
  sealedSettings: string;
  /** The default tier of its tools. The server's own hints only raise a tool's tier. */
  riskTier: RiskTier;
  /** Time limit of one call. */
  timeoutSeconds: number;
  /** Increases with every change of how the server is reached. A connection of an older version is dropped. */
  version: number;
  createdAt: Instant;
  updatedAt: Instant;
  /** Null until the gate reached the server for the first time. */
  server: UpstreamServer | null;
  /** When the gate last saw the server's tools, precise to a few minutes. */
  polledAt: Instant | null;
  /** Since when the server cannot be reached. Null if the last check succeeded or there was none. */
  failingSince: Instant | null;
  /** The last error, in the gate's own words. */
  error: string | null;
}

/**
 * `new`: not approved yet. `changed`: the tool differs from its approval, or did and changed back; a person must review
 * it.
 * `gone`: approved, but not listed at the moment. Only `approved` tools are offered.
 */
type UpstreamToolState = 'new' | 'approved' | 'changed' | 'gone';

/** One tool as its server described it. */
export interface ToolDefinition {
  /** `name`, `title`, `description`, `inputSchema`, `outputSchema`, `annotations`, where present. */
  content: JsonObject;
  /** "sha256:…" over the canonical form of `content`. */
  hash: string;
}

export interface UpstreamTool {
  projectId: string;
  upstreamId: string;
  /** The server's name for the tool. */
  name: string;
  state: UpstreamToolState;
  /** Why the current definition cannot be approved. Null if it can. */
  obstacle: string | null;
  /** The definition as last seen. Null if the tool is not listed or cannot be stored. */
  found: ToolDefinition | null;
  /** The definition as approved and shown to agents. */
  pinned: ToolDefinition | null;
  /** The tier that a person set. Null: the server's default. */
  riskTier: RiskTier | null;
  /** When the gate first saw the tool. */
  foundAt: Instant;
  /** When state or `found` last changed. */
  changedAt: Instant;
  approvedAt: Instant | null;
}

export interface OfferedUpstreamTool {
  upstream: Upstream;
  tool: UpstreamTool & { pinned: ToolDefinition };
}

export interface UpstreamReader {
  findUpstream(projectId: string, upstreamId: string): Promise<Upstream | undefined>;
  findUpstreamByName(projectId: string, name: string): Promise<Upstream | undefined>;
  /** Newest first. A project has few servers. */
  listUpstreams(projectId: string): Promise<readonly Upstream[]>;
  /** By name. A server has a few hundred tools at most. */
  listUpstreamTools(upstreamId: string): Promise<readonly UpstreamTool[]>;
  findUpstreamTool(upstreamId: string, name: string): Promise<UpstreamTool | undefined>;
  /** Tools in state `approved` of all servers of the project, by server and name. */
  listOfferedTools(projectId: string): Promise<readonly OfferedUpstreamTool[]>;
  /** For metrics: the number of servers, of unreachable servers, and of tools that need review. */
  measureUpstreams(): Promise<{ upstreams: number; failing: number; toolsToApprove: number }>;
}

export interface UpstreamWriter {
  insertUpstream(upstream: Upstream): Promise<void>;
  /** Updates connection settings, tier and timeout. Guard: the version is still `knownVersion`. */
  updateUpstream(upstream: Upstream, knownVersion: number): Promise<boolean>;
  /** Records that the server was reached. Guard: its connection settings still have this `version`. */
  noteUpstreamSeen(
    upstreamId: string,
    version: number,
    server: UpstreamServer,
    at: Instant,
  ): Promise<boolean>;
  /** Records a failure. The first failure of a series sets `failingSince`. Guard: as for `noteUpstreamSeen`. */
  noteUpstreamFailure(upstreamId: string, version: number, error: string, at: Instant): Promise<boolean>;
  /** Hides the server, and deletes its secrets and tools. */
  deleteUpstream(upstreamId: string, at: Instant): Promise<boolean>;
  /** Replaces the tool of that name, if there is one. */
  putUpstreamTool(tool: UpstreamTool): Promise<void>;
  deleteUpstreamTool(upstreamId: string, name: string): Promise<void>;
}
