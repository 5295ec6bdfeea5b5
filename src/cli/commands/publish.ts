import { type Command, UsageError } from '../Command.ts';
import { parseOptions } from '../parseOptions.ts';
import { publishOptions, publishTo } from '../publishTo.ts';

const options = {
  ...publishOptions,
  quiet: { type: 'boolean', about: 'print only errors' },
  json: { type: 'boolean', about: 'print the result as JSON on stdout' },
} as const;

export const publishDataset: Command = {
  name: 'publish',
  overview: [11, 'bring a finished folder into a bucket or a shared folder'],
  usage: 'DIR s3://BUCKET/PREFIX|file:///FOLDER [options]',
  about:
    'Publishes the folder of a finished run. All files are uploaded and checked first, datapackage.json last, so a reader who finds it ' +
    'finds everything. An update uploads what has changed. If it stops for any reason, the same command resumes. S3 needs the packages ' +
    '@aws-sdk/client-s3 and @aws-sdk/lib-storage, and takes credentials from where the AWS tools do. AWS_ENDPOINT_URL names another ' +
    'server that speaks S3.',
  options,
  examples: [
    ['trawler publish out/coffee s3://datasets/coffee', 'upload the files of a run, or what an update changed'],
    ['trawler publish out/coffee file:///mnt/shared/coffee', 'the same into a folder'],
  ],
  async run(argv, io) {
    const { values, positionals } = parseOptions(argv, options, 'trawler publish');
    const [folder, url, more] = positionals;
    if (folder === undefined || url === undefined || more !== undefined) {
      throw new UsageError('trawler publish takes a folder and the target to publish it to.', { hint: 'See: trawler publish --help' });
    }
    return publishTo(folder, url, values, io);
  },
};
