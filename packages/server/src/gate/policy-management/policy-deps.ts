import type { AgentReader, AgentWriter } from '../agents/agent.ts';
import type { ProposalReader, ProposalWriter } from '../four-eyes/policy-proposal.ts';
import type { IntentReader } from '../intents/intent.ts';
import type { ProjectSettingsCache } from '../project-settings/project-settings.ts';
import type { ChangeDeps } from '../projects/change-deps.ts';
import type { ShadowReader, ShadowWriter } from './shadow/shadow-policy.ts';
import type { SimulationReader } from './simulation/simulation-job.ts';
import type { Simulations } from './simulation/simulations.ts';

/** Dependencies of the operations on policies. */
export interface PolicyDeps
  extends ChangeDeps<
    AgentReader & IntentReader & ProposalReader & ShadowReader & SimulationReader,
    AgentWriter & ProposalWriter & ShadowWriter
  > {
  projectSettings: ProjectSettingsCache;
  simulations: Simulations;
}
