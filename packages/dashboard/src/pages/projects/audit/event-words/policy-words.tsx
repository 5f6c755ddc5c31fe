/** The policy, proposals to change it, and its shadow. */
import { Because, type EventWords, shortHash } from './wording.tsx';

export const POLICY_WORDS = {
  'policy.updated': {
    group: 'policy',
    label: 'Policy put in force',
    says: (data) => (
      <>
        put version {String(data.version)} of the policy in force, {shortHash(data.hash)}
      </>
    ),
  },
  'policy.proposed': {
    group: 'policy',
    label: 'Change proposed',
    says: (data) => (
      <>
        proposed a change of the policy
        <Because value={data.comment} />
      </>
    ),
  },
  'policy.proposal_rejected': {
    group: 'policy',
    label: 'Proposal rejected',
    says: (data) => (
      <>
        rejected the proposed change of the policy
        <Because value={data.reason} />
      </>
    ),
  },
  'policy.proposal_withdrawn': {
    group: 'policy',
    label: 'Proposal withdrawn',
    says: (data) => (
      <>
        withdrew the proposed change of the policy
        <Because value={data.reason} />
      </>
    ),
  },
  'policy.second_person_updated': {
    group: 'policy',
    label: 'Second person',
    says: (data) =>
      data.required === false
        ? 'let one person change the policy again'
        : 'asked for a second person at every change of the policy',
  },
  'shadow.updated': {
    group: 'policy',
    label: 'Shadow policy set',
    says: (data) => <>set the shadow policy, {shortHash(data.hash)}</>,
  },
  'shadow.removed': {
    group: 'policy',
    label: 'Shadow policy removed',
    says: () => 'removed the shadow policy',
  },
} satisfies EventWords;
