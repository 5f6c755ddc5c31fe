import type { ProposedChange } from '../../gate/four-eyes/policy-proposal.ts';
import type { Telling } from '../../gate/notifications/to-telling.ts';
import { toInertLine } from '../inert-text.ts';
import type { Fact } from '../mail/compose-mail.ts';
import { toTimeText } from '../time-text.ts';
import type { Words } from './words.ts';

const ABOUT: Record<ProposedChange, string> = {
  policy: 'A policy change',
  second_person_off: 'Turning off the two-person rule',
  agent: 'A change to an agent',
};

type ProposalTelling = Extract<Telling, { kind: 'proposed' | 'proposal_ended' }>;

const MOST_TEXT = 500;

/** Says that a proposed change needs another person's approval, or how the proposal ended. */
export function describeProposal(telling: ProposalTelling, timeZone: string): Words {
  const { kind, project, proposal } = telling;
  const about = ABOUT[proposal.change];
  const projectFact = { name: 'Project', value: `${toInertLine(project.name, 100)} (${project.mode} mode)` };
  const path = `/projects/${project.id}/policy`;
  if (kind === 'proposed') {
    return {
      path,
      title: `${about} needs approval`,
      lead: 'It takes effect only after a person other than the proposer approves it. The page shows what would change.',
      facts: [
        { name: 'Proposed by', value: toInertLine(proposal.proposedBy.display) },
        projectFact,
        ...textFact('Comment', proposal.comment),
        { name: 'Proposed', value: toTimeText(proposal.createdAt, timeZone) },
      ],
      linkLabel: 'Review change',
    };
  }
  return {
    path,
    ...endOf(telling, about),
    facts: [
      projectFact,
      ...textFact('Decided by', proposal.resolvedBy?.display ?? null),
      ...textFact('Reason', proposal.reason),
    ],
    linkLabel: 'View change',
  };
}

function endOf({ proposal, isStale }: ProposalTelling, about: string): Pick<Words, 'title' | 'lead'> {
  if (isStale) {
    return {
      title: `${about} can no longer be approved`,
      lead: 'Another policy was published after you proposed this change. Propose it again, based on the active policy.',
    };
  }
  if (proposal.status === 'rejected') {
    return {
      title: `${about} was rejected`,
      lead: 'The change that you proposed was rejected. Nothing changed.',
    };
  }
  const asVersion = proposal.version === null ? '' : `, as version ${proposal.version}`;
  return { title: `${about} was approved`, lead: `The change that you proposed is active${asVersion}.` };
}

function textFact(name: string, text: string | null): Fact[] {
  return text === null ? [] : [{ name, value: toInertLine(text, MOST_TEXT) }];
}
