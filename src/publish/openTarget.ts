import { fileURLToPath } from 'node:url';
import { SinkError } from '../errors/index.ts';
import type { FileSystem } from '../files/FileSystem.ts';
import { nodeFileSystem } from '../files/nodeFileSystem.ts';
import { FolderTarget } from './FolderTarget.ts';
import type { PublishTarget } from './PublishTarget.ts';

export interface OpenTargetOptions {
  /** For a target that is a folder. @default the disk */
  readonly fileSystem?: FileSystem;
  /** The variables `AWS_ENDPOINT_URL` and `AWS_REGION`. The SDK finds credentials by itself. @default process.env */
  readonly env?: { readonly [name: string]: string | undefined };
  /** Aborts requests. @default none */
  readonly signal?: AbortSignal | undefined;
}

/** Opens the target to publish to: `s3://bucket/prefix` or `file:///folder`. Nothing is requested or written yet. */
export async function openTarget(url: string, options: OpenTargetOptions = {}): Promise<PublishTarget> {
  const { fileSystem = nodeFileSystem, env = process.env, signal } = options;
  const [, bucket, prefix = ''] = /^s3:\/\/([^/@:?#\s]+)(?:\/([^?#]*))?$/.exec(url) ?? [];
  if (bucket !== undefined) {
    const { S3Target } = await import('./S3Target.ts');
    return S3Target.open(bucket, prefix.replaceAll(/^\/+|\/+$/g, ''), env, signal);
  }
  if (url.startsWith('file:///') && !/[?#]/.test(url)) return FolderTarget.open(url.replace(/\/+$/, ''), fileURLToPath(url), fileSystem);
  // not the URL itself, which may hold a key
  throw new SinkError(
    'A dataset is published to s3://bucket/prefix or to file:///folder. Credentials come from the environment, never from the URL',
  );
}
