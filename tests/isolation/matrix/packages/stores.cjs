'use strict';

/** Drivers of databases, and queues of jobs that live in one. */

const { REDIS_PORT: redisPort, POSTGRES_URL: postgresUrl } = process.env;
const redisUrl = `redis://127.0.0.1:${redisPort}`;
const connection = { host: '127.0.0.1', port: Number(redisPort) };

/** First a query whose callback makes the call, as most handlers do. */
const stores = {
  'redis 3': {
    install: ['b', 'redis@3.1.2'],
    make: (load) => {
      const client = load('redis').createClient(redisUrl);
      return ({ get }) =>
        new Promise((resolve, reject) => {
          client.get('a', () => get((error, value) => (error ? reject(error) : resolve(value))));
        });
    },
  },
  'redis 4': { install: ['c', 'redis@4.7.1'], make: nodeRedis },
  'redis 5': { install: ['a', 'redis@5.8.2'], make: nodeRedis },
  ioredis: {
    install: ['a', 'ioredis@5.8.0'],
    make: (load) => {
      const client = new (load('ioredis'))(connection);
      return async ({ load: next }) => {
        await client.get('a');
        return next();
      };
    },
  },
  'ioredis with callbacks': {
    install: ['a', 'ioredis@5.8.0'],
    make: (load) => {
      const client = new (load('ioredis'))(connection);
      return ({ get }) =>
        new Promise((resolve) => {
          client.get('a', () => get((_, value) => resolve(value)));
        });
    },
  },
  bullmq: {
    install: ['a', 'bullmq@5.60.0'],
    make: (load) => {
      const { Queue, QueueEvents, Worker } = load('bullmq');
      const name = `matrix-${process.pid}`;
      const jobs = new Map();
      const queue = new Queue(name, { connection });
      const events = new QueueEvents(name, { connection });
      const worker = new Worker(name, ({ data }) => jobs.get(data.id)(), {
        connection,
        concurrency: 2,
      });
      let number = 0;
      return async ({ load: next }) => {
        await Promise.all([events.waitUntilReady(), worker.waitUntilReady()]);
        const id = ++number;
        jobs.set(id, next);
        return (await queue.add('job', { id })).waitUntilFinished(events);
      };
    },
  },
  bull: {
    install: ['a', 'bull@4.16.5'],
    make: (load) => {
      const queue = new (load('bull'))(`bull-${process.pid}`, redisUrl);
      const jobs = new Map();
      queue.process(2, ({ data }) => jobs.get(data.id)());
      let number = 0;
      return async ({ load: next }) => {
        const id = ++number;
        jobs.set(id, next);
        return (await queue.add({ id })).finished();
      };
    },
  },
  'bee-queue': {
    install: ['a', 'bee-queue@2.0.0'],
    make: (load) => {
      const Queue = load('bee-queue');
      const queue = new Queue(`bee-${process.pid}`, { redis: connection });
      const jobs = new Map();
      queue.process(2, ({ data }) => jobs.get(data.id)());
      let number = 0;
      return ({ load: next }) =>
        new Promise((resolve, reject) => {
          const id = ++number;
          jobs.set(id, next);
          const job = queue.createJob({ id });
          job.on('succeeded', resolve);
          job.on('failed', reject);
          job.save().catch(reject);
        });
    },
  },
  pg: {
    install: ['a', 'pg@8.16.3'],
    make: (load) => {
      const pool = new (load('pg').Pool)({ connectionString: postgresUrl, max: 2 });
      return async ({ load: next }) => {
        await pool.query('select 1');
        return next();
      };
    },
  },
  'pg with callbacks': {
    install: ['a', 'pg@8.16.3'],
    make: (load) => {
      const pool = new (load('pg').Pool)({ connectionString: postgresUrl, max: 2 });
      return ({ get }) =>
        new Promise((resolve, reject) => {
          pool.query('select 1', (error) => {
            if (error) return reject(error);
            get((_, value) => resolve(value));
          });
        });
    },
  },
  'pg-promise': {
    install: ['a', 'pg-promise@12.1.3'],
    make: (load) => {
      const database = load('pg-promise')()({ connectionString: postgresUrl, max: 2 });
      return async ({ load: next }) => {
        await database.one('select 1 as one');
        return next();
      };
    },
  },
  knex: {
    install: ['a', 'knex@3.1.0'],
    make: (load) => {
      const options = { client: 'pg', connection: postgresUrl, pool: { min: 0, max: 2 } };
      const database = load('knex')(options);
      return async ({ load: next }) => {
        await database.raw('select 1');
        return next();
      };
    },
  },
  sequelize: {
    install: ['a', 'sequelize@6.37.7'],
    make: (load) => {
      const { Sequelize } = load('sequelize');
      const database = new Sequelize(postgresUrl, { logging: false, pool: { max: 2 } });
      return async ({ load: next }) => {
        await database.query('select 1');
        return next();
      };
    },
  },
  'mysql 2 with callbacks': {
    install: ['b', 'mysql@2.18.1', 'mysql2@3.15.1'],
    make: async (load) => {
      const pool = load('mysql').createPool({
        ...mysqlUser,
        port: await mysqlPort(load),
        connectionLimit: 2,
      });
      return queryFirst((done) => pool.query('select 1', done));
    },
  },
  'mysql2 with callbacks': {
    install: ['a', 'mysql2@3.15.1'],
    make: async (load) => {
      const pool = load('mysql2').createPool({
        ...mysqlUser,
        port: await mysqlPort(load),
        connectionLimit: 2,
      });
      return queryFirst((done) => pool.query('select 1', done));
    },
  },
  'mysql2 with promises': {
    install: ['a', 'mysql2@3.15.1'],
    make: async (load) => {
      const options = { ...mysqlUser, port: await mysqlPort(load), connectionLimit: 2 };
      const pool = load('mysql2/promise').createPool(options);
      return async ({ load: next }) => {
        await pool.query('select 1');
        return next();
      };
    },
  },
};

/** A server of mysql2's own, which speaks the protocol and answers every query. */
function mysqlPort(load) {
  const { createServer } = load('mysql2');
  const server = createServer();
  server.on('connection', (connection) => {
    connection.on('error', () => {});
    connection.serverHandshake({
      protocolVersion: 10,
      serverVersion: '8.0.0',
      connectionId: 1,
      statusFlags: 2,
      characterSet: 8,
      // All but TLS.
      capabilityFlags: 0xffffff ^ 2048,
    });
    connection.on('query', () => {
      setTimeout(() => {
        connection.sequenceId = 1;
        connection.writeOk();
        connection.sequenceId = 0;
      }, 1);
    });
  });
  return new Promise((resolve) => {
    server.listen(0, () => resolve(server._server.address().port));
  });
}

const mysqlUser = { host: '127.0.0.1', user: 'u', password: '', database: 'd' };

function queryFirst(query) {
  return ({ get }) =>
    new Promise((resolve, reject) => {
      query((error) => {
        if (error) return reject(error);
        get((_, value) => resolve(value));
      });
    });
}

async function nodeRedis(load) {
  const client = load('redis').createClient({ url: redisUrl });
  client.on('error', () => {});
  await client.connect();
  return async ({ load: next }) => {
    await client.get('a');
    return next();
  };
}

module.exports = stores;
