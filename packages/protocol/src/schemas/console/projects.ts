/** Answers of the dashboard's own routes about projects, and about a person's own tokens. */
import Type from 'typebox';
import { PROJECT_MODES, ROLES } from '../../vocabulary.ts';
import { Nullable, StrictObject } from '../forms.ts';

const PROJECT_NAME = Type.String({ minLength: 1, maxLength: 400 });

export const MyProject = StrictObject({
  id: Type.String(),
  name: Type.String(),
  mode: Type.Enum([...PROJECT_MODES]),
  /** The caller's own role. */
  role: Type.Enum([...ROLES]),
  stopped_at: Nullable(Type.String()),
  created_at: Type.String(),
  /** Intents that are pending review. */
  pending: Type.Integer(),
  members: Type.Integer(),
});

export const MyProjects = StrictObject({
  data: Type.Array(MyProject),
  /** Whether the caller may create another project. */
  may_create: Type.Boolean(),
});

export const CreateProject = StrictObject({ name: PROJECT_NAME, mode: Type.Enum([...PROJECT_MODES]) });

export const RenameProject = StrictObject({ name: PROJECT_NAME });

export const LeftProject = StrictObject({ project_id: Type.String() });

export const MyToken = StrictObject({
  id: Type.String(),
  name: Type.String(),
  hint: Type.String(),
  rights: Type.Array(Type.String()),
  created_at: Type.String(),
  expires_at: Nullable(Type.String()),
  revoked_at: Nullable(Type.String()),
  last_used_at: Nullable(Type.String()),
});
