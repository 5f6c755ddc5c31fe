import type { ProposedChange } from '../../gate/four-eyes/policy-proposal.ts';
import type { Telling } from '../../gate/notifications/to-telling.ts';
import { toInertLine } from '../inert-text.ts';
import type { Fact } from '../mail/compose-mail.ts';
import { toTimeText, type Words } from './words.ts';

const ABOUT: Record<ProposedChange, string> = {
  policy: 'A change of the policy',
  second_person_off: 'The end of the second person',
  agent: 'A change of an agent',
};

type ProposalTelling = Extract<Telling, { kind: 'proposed' | 'proposal_ended' }>;

const MOST_TEXT = 500;

/** Says that a policy change needs a second person, and how it ended. */
export function describeProposal(telling: ProposalTelling): Words {
  const { kind, project, proposal } = telling;
  const about = ABOUT[proposal.change];
  const projectFact = { name: 'Project', value: `${toInertLine(project.name, 100)} (${project.mode})` };
  const common = { path: `/projects/${project.id}/policy`, linkLabel: 'Look at it' };
  if (kind === 'proposed') {
    return {
      ...common,
      title: `${about} waits for a second person`,
      lead: 'It comes in force only when somebody else approves it, and you may. The page shows what it would change.',
      facts: [
        { name: 'Proposed by', value: toInertLine(proposal.proposedBy.display) },
        projectFact,
        ...textFact('Comment', proposal.comment),
        { name: 'Proposed', value: toTimeText(proposal.createdAt) },
      ],
    };
  }
  return {
    ...common,
    ...endOf(telling, about),
    facts: [
      projectFact,
      ...textFact('Decided by', proposal.resolvedBy?.display ?? null),
      ...textFact('Reason', proposal.reason),
    ],
  };
}

function endOf({ proposal, isStale }: ProposalTelling, about: string): Pick<Words, 'title' | 'lead'> {
  if (isStale) {
    return {
      title: `${about} cannot be approved any more`,
      lead: 'Another policy came in force since you proposed it. Propose it again from there.',
    };
  }
  if (proposal.status === 'rejected') {
    return {
      title: `${about} was rejected`,
      lead: 'What you proposed was rejected. Nothing changed.',
    };
  }
  const inForce = proposal.version === null ? '' : `, as version ${proposal.version}`;
  return { title: `${about} was approved`, lead: `What you proposed is in force${inForce}.` };
}

function textFact(name: string, text: string | null): Fact[] {
  return text === null ? [] : [{ name, value: toInertLine(text, MOST_TEXT) }];
}
