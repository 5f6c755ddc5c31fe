/** The gate's responses about a project and everything in it. */
import type { Wire } from '../../../api/wire.ts';

export type ProjectState = Wire<'ProjectSchema'>;
export type OwnProject = Wire<'MyProject'>;
export type OwnProjects = Wire<'MyProjects'>;
export type Member = Wire<'MemberSchema'>;
export type Group = Wire<'GroupSchema'>;
export type Agent = Wire<'AgentSchema'>;
/** With a proposal: nothing has changed yet, and another person must approve it first. */
export type UpdatedAgent = Wire<'UpdatedAgentSchema'>;
export type Key = Wire<'KeySchema'>;
export type MadeKey = Wire<'CreatedKey'>;
export type OwnToken = Wire<'MyToken'>;
export type Invitation = Wire<'ProjectInvitation'>;
export type Invitations = Wire<'ProjectInvitations'>;
export type SentInvitation = Wire<'SentProjectInvitation'>;
export type Retention = Wire<'RetentionSchema'>;
export type AuditEntry = Wire<'AuditRecordSchema'>;
export type AuditVerdict = Wire<'AuditVerificationSchema'>;
export type Overview = Wire<'ProjectOverview'>;
