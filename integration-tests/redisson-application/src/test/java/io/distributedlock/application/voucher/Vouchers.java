package io.distributedlock.application.voucher;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.function.Supplier;

import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.annotation.DistributedLock;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopContext;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.EnableAspectJAutoProxy;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * The flash sale of vouchers, in the layers that tutorials give it: a controller, a
 * service behind an interface with the generic base class of a mapper library, mappers
 * that are hand-made proxies, the user in a thread local, and the service's own proxy
 * from {@link AopContext}.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@EnableAspectJAutoProxy(exposeProxy = true)
@Import({ Vouchers.VoucherOrderController.class, Vouchers.VoucherOrderServiceImpl.class,
		Vouchers.SeckillVoucherServiceImpl.class, Vouchers.MvcConfig.class, Vouchers.RedisIdWorker.class })
class Vouchers {

	@Bean
	MapperFactoryBean<VoucherOrderMapper> voucherOrderMapper(JdbcTemplate jdbc) {
		return new MapperFactoryBean<>(VoucherOrderMapper.class, jdbc);
	}

	@Bean
	MapperFactoryBean<SeckillVoucherMapper> seckillVoucherMapper(JdbcTemplate jdbc) {
		return new MapperFactoryBean<>(SeckillVoucherMapper.class, jdbc);
	}

	interface BaseMapper<T> {

		@Nullable T selectById(Object id);

		int insert(T entity);

	}

	record VoucherOrder(Long id, Long userId, Long voucherId) {
	}

	record SeckillVoucher(Long voucherId, Integer stock) {
	}

	interface VoucherOrderMapper extends BaseMapper<VoucherOrder> {

		int countOf(Long userId, Long voucherId);

	}

	interface SeckillVoucherMapper extends BaseMapper<SeckillVoucher> {

		int setStock(Long voucherId, int stock);

	}

	interface IService<T> {

		BaseMapper<T> getBaseMapper();

		default boolean save(T entity) {
			return getBaseMapper().insert(entity) == 1;
		}

		default @Nullable T getById(Object id) {
			return getBaseMapper().selectById(id);
		}

	}

	abstract static class ServiceImpl<M extends BaseMapper<T>, T> implements IService<T> {

		@Autowired
		protected M baseMapper;

		protected final Class<?> entityClass = (Class<?>) ((ParameterizedType) getClass().getGenericSuperclass())
			.getActualTypeArguments()[1];

		@Override
		public BaseMapper<T> getBaseMapper() {
			return this.baseMapper;
		}

	}

	interface ISeckillVoucherService extends IService<SeckillVoucher> {

		boolean setStock(Long voucherId, int stock);

	}

	interface IVoucherOrderService extends IService<VoucherOrder> {

		Result seckillVoucher(Long voucherId);

		Result createVoucherOrder(Long voucherId);

	}

	@Service
	static class SeckillVoucherServiceImpl extends ServiceImpl<SeckillVoucherMapper, SeckillVoucher>
			implements ISeckillVoucherService {

		@Override
		public boolean setStock(Long voucherId, int stock) {
			return this.baseMapper.setStock(voucherId, stock) == 1;
		}

	}

	@Service
	static class VoucherOrderServiceImpl extends ServiceImpl<VoucherOrderMapper, VoucherOrder>
			implements IVoucherOrderService {

		@Autowired
		private ISeckillVoucherService seckillVoucherService;

		@Autowired
		private RedisIdWorker redisIdWorker;

		@Override
		public Result seckillVoucher(Long voucherId) {
			SeckillVoucher voucher = this.seckillVoucherService.getById(voucherId);
			if (voucher == null || voucher.stock() < 1) {
				return Result.fail("sold out");
			}
			IVoucherOrderService proxy = (IVoucherOrderService) AopContext.currentProxy();
			return proxy.createVoucherOrder(voucherId);
		}

		@Override
		@Transactional
		@DistributedLock(name = "voucher-order",
				key = "T(io.distributedlock.application.voucher.UserHolder).getUser().id()", waitTime = "0",
				fallback = "tooFast")
		@DistributedLock(name = "voucher-stock", key = "#voucherId", waitTime = "0", fallback = "tooFast")
		public Result createVoucherOrder(Long voucherId) {
			Long userId = UserHolder.getUser().id();
			if (this.baseMapper.countOf(userId, voucherId) > 0) {
				return Result.fail("one for each user");
			}
			SeckillVoucher voucher = this.seckillVoucherService.getById(voucherId);
			if (voucher == null || voucher.stock() < 1) {
				return Result.fail("sold out");
			}
			this.seckillVoucherService.setStock(voucherId, voucher.stock() - 1);
			VoucherOrder order = new VoucherOrder(this.redisIdWorker.nextId("order"), userId, voucherId);
			save(order);
			return Result.ok(order.id());
		}

		Result tooFast(Long voucherId, LockNotAcquiredException ex) {
			return Result.fail("too fast");
		}

	}

	static class RedisIdWorker {

		private final StringRedisTemplate redis;

		RedisIdWorker(StringRedisTemplate redis) {
			this.redis = redis;
		}

		Long nextId(String keyPrefix) {
			return this.redis.opsForValue().increment("icr:" + keyPrefix);
		}

	}

	@RestController
	@RequestMapping("/voucher-order")
	static class VoucherOrderController {

		@Autowired
		private IVoucherOrderService voucherOrderService;

		@PostMapping("/seckill/{id}")
		Result seckillVoucher(@PathVariable("id") Long voucherId) {
			return this.voucherOrderService.seckillVoucher(voucherId);
		}

	}

	static class MvcConfig implements WebMvcConfigurer {

		@Override
		public void addInterceptors(InterceptorRegistry registry) {
			registry.addInterceptor(new LoginInterceptor());
		}

	}

	static class LoginInterceptor implements HandlerInterceptor {

		@Override
		public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
			UserHolder.saveUser(new UserHolder.UserDTO(Long.valueOf(request.getHeader("authorization"))));
			return true;
		}

		@Override
		public void afterCompletion(HttpServletRequest request, HttpServletResponse response, Object handler,
				@Nullable Exception ex) {
			UserHolder.removeUser();
		}

	}

	/**
	 * What the API answers.
	 */
	static class Result {

		private final boolean success;

		private final @Nullable String errorMsg;

		private final @Nullable Object data;

		Result(boolean success, @Nullable String errorMsg, @Nullable Object data) {
			this.success = success;
			this.errorMsg = errorMsg;
			this.data = data;
		}

		static Result ok(@Nullable Object data) {
			return new Result(true, null, data);
		}

		static Result fail(String message) {
			return new Result(false, message, null);
		}

		public boolean getSuccess() {
			return this.success;
		}

		public @Nullable String getErrorMsg() {
			return this.errorMsg;
		}

		public @Nullable Object getData() {
			return this.data;
		}

	}

	static class MapperFactoryBean<T> implements FactoryBean<T> {

		private final Class<T> type;

		private final JdbcTemplate jdbc;

		MapperFactoryBean(Class<T> type, JdbcTemplate jdbc) {
			this.type = type;
			this.jdbc = jdbc;
		}

		@Override
		public T getObject() {
			return this.type.cast(Proxy.newProxyInstance(this.type.getClassLoader(), new Class<?>[] { this.type },
					(proxy, method, args) -> switch (method.getName()) {
						case "selectById" -> first(() -> this.jdbc.query("select id, stock from voucher where id = ?",
								(row, i) -> new SeckillVoucher(row.getLong(1), row.getInt(2)), args));
						case "insert" -> {
							VoucherOrder order = (VoucherOrder) args[0];
							yield this.jdbc.update("insert into voucher_order values (?, ?, ?)", order.id(),
									order.userId(), order.voucherId());
						}
						case "countOf" -> this.jdbc.queryForObject(
								"select count(*) from voucher_order where user_id = ? and voucher_id = ?",
								Integer.class, args);
						case "setStock" ->
							this.jdbc.update("update voucher set stock = ? where id = ?", args[1], args[0]);
						case "toString" -> "mapper";
						case "hashCode" -> System.identityHashCode(proxy);
						default -> proxy == args[0];
					}));
		}

		private static @Nullable Object first(Supplier<List<SeckillVoucher>> rows) {
			return rows.get().stream().findFirst().orElse(null);
		}

		@Override
		public Class<?> getObjectType() {
			return this.type;
		}

	}

}
