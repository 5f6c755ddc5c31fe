/** What the gate answers about a project and all that belongs to it. */
import type {
  AgentSchema,
  AuditRecordSchema,
  AuditVerificationSchema,
  CreatedKey,
  GroupSchema,
  KeySchema,
  MemberSchema,
  MyProject,
  MyProjects,
  MyToken,
  ProjectInvitation,
  ProjectInvitations,
  ProjectOverview,
  ProjectSchema,
  RetentionSchema,
  SentProjectInvitation,
  UpdatedAgentSchema,
} from '@permitry/protocol/schemas';
import type { Static } from 'typebox';

export type ProjectState = Static<typeof ProjectSchema>;
export type OwnProject = Static<typeof MyProject>;
export type OwnProjects = Static<typeof MyProjects>;
export type Member = Static<typeof MemberSchema>;
export type Group = Static<typeof GroupSchema>;
export type Agent = Static<typeof AgentSchema>;
/** With a proposal: nothing has changed, and another person must approve it first. */
export type UpdatedAgent = Static<typeof UpdatedAgentSchema>;
export type Key = Static<typeof KeySchema>;
export type MadeKey = Static<typeof CreatedKey>;
export type OwnToken = Static<typeof MyToken>;
export type Invitation = Static<typeof ProjectInvitation>;
export type Invitations = Static<typeof ProjectInvitations>;
export type SentInvitation = Static<typeof SentProjectInvitation>;
export type Retention = Static<typeof RetentionSchema>;
export type AuditEntry = Static<typeof AuditRecordSchema>;
export type AuditVerdict = Static<typeof AuditVerificationSchema>;
export type Overview = Static<typeof ProjectOverview>;
