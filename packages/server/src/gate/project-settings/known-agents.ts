import type { Agent, AgentReader } from '../agents/agent.ts';
import type { ProjectReader } from '../projects/project.ts';

/** The project's agents as of one revision of its settings, each read when it is first asked for. */
export class KnownAgents {
  readonly #reader: AgentReader & ProjectReader;
  readonly #projectId: string;
  readonly #revision: number;
  readonly #known = new Map<string, Agent | null>();

  constructor(reader: AgentReader & ProjectReader, projectId: string, revision: number) {
    this.#reader = reader;
    this.#projectId = projectId;
    this.#revision = revision;
  }

  async find(agentId: string): Promise<Agent | null> {
    const known = this.#known.get(agentId);
    if (known !== undefined) return known;
    const agent = (await this.#reader.findAgent(this.#projectId, agentId)) ?? null;
    // One read under a later revision is not of these settings: whoever writes will notice, and nobody keeps it.
    const revision = await this.#reader.findProjectRevision(this.#projectId);
    if (revision === this.#revision) this.#known.set(agentId, agent);
    return agent;
  }
}
